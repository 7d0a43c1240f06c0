//! MD5, because WordPress names each cron event by the MD5 of its arguments. It protects nothing here.

/// The digest of `data` as 32 hexadecimal digits.
pub(crate) fn hex(data: &[u8]) -> String {
    const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    let mut message = data.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend((data.len() as u64 * 8).to_le_bytes());
    let mut state: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in message.chunks_exact(64) {
        let word = |n: usize| {
            block.get(n * 4..).and_then(|b| b.first_chunk::<4>()).map_or(0, |b| u32::from_le_bytes(*b))
        };
        let [mut a, mut b, mut c, mut d] = state;
        for i in 0..64_usize {
            let (mix, n) = match i / 16 {
                0 => ((b & c) | (!b & d), i),
                1 => ((d & b) | (!d & c), (5 * i + 1) % 16),
                2 => (b ^ c ^ d, (3 * i + 5) % 16),
                _ => (c ^ (b | !d), 7 * i % 16),
            };
            // The table of RFC 1321: the fractions of the sines of 1 to 64.
            let sine = (((i + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
            let sum = a.wrapping_add(mix).wrapping_add(sine).wrapping_add(word(n));
            let shift = SHIFTS.get(i / 16).and_then(|row| row.get(i % 4)).copied().unwrap_or(0);
            (a, d, c, b) = (d, c, b, b.wrapping_add(sum.rotate_left(shift)));
        }
        state = [
            state[0].wrapping_add(a),
            state[1].wrapping_add(b),
            state[2].wrapping_add(c),
            state[3].wrapping_add(d),
        ];
    }
    state.iter().flat_map(|word| word.to_le_bytes()).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn digests_are_those_of_the_rfc_and_of_wordpress() {
        assert_eq!(hex(b""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex(b"message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
        let long = b"12345678901234567890123456789012345678901234567890123456789012345678901234567890";
        assert_eq!(hex(long), "57edf4a22be3c955ac49da2e2107b67a");
        // The key of every cron event without arguments.
        assert_eq!(hex(b"a:0:{}"), "40cd750bba9870f18aada2478b24840a");
    }
}
