//! Pictures of one colour: a real PNG of any size in a few hundred bytes.
//!
//! The pixels are all palette entry 0, so the whole stream is one run of zero bytes; fixed-Huffman DEFLATE
//! writes that as one literal and matches at distance 1. No library is needed for so little.

/// Makes a PNG of `width` × `height` pixels in one colour.
pub(crate) fn plain(width: u32, height: u32, rgb: [u8; 3]) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([1, 3, 0, 0, 0]); // one bit a pixel, palette, no interlacing
    chunk(&mut png, b"IHDR", &header);
    chunk(&mut png, b"PLTE", &rgb);
    // One filter byte a line, then eight pixels a byte.
    chunk(&mut png, b"IDAT", &zeros(height as usize * (1 + (width as usize).div_ceil(8))));
    chunk(&mut png, b"IEND", &[]);
    png
}

fn chunk(png: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    png.extend((data.len() as u32).to_be_bytes());
    let from = png.len();
    png.extend(kind);
    png.extend(data);
    let crc = crc32(png.get(from..).unwrap_or_default());
    png.extend(crc.to_be_bytes());
}

fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |c, _| if c & 1 == 1 { (c >> 1) ^ 0xedb8_8320 } else { c >> 1 })
    })
}

/// A zlib stream of `n` zero bytes.
fn zeros(n: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.low(0b011, 3); // the last block, fixed codes
    if n > 0 {
        bits.code(0x30, 8); // literal 0
        let matches = (n - 1) / 258;
        for _ in 0..matches {
            bits.code(0b1100_0101, 8); // length 258
            bits.code(0, 5); // distance 1
        }
        for _ in 0..(n - 1) % 258 {
            bits.code(0x30, 8);
        }
    }
    bits.code(0, 7); // end of block
    let mut stream = vec![0x78, 0x01];
    stream.extend(bits.bytes);
    // Adler-32 of zeros: the low half stays 1, the high half counts the bytes.
    stream.extend((((n % 65_521) as u32) << 16 | 1).to_be_bytes());
    stream
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: u32,
}

impl Bits {
    fn bit(&mut self, bit: u32) {
        if self.used.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= (bit as u8) << (self.used % 8);
        }
        self.used += 1;
    }

    /// Header fields go in from their lowest bit.
    fn low(&mut self, value: u32, n: u32) {
        (0..n).for_each(|i| self.bit(value >> i & 1));
    }

    /// Huffman codes go in from their highest bit.
    fn code(&mut self, value: u32, n: u32) {
        (0..n).rev().for_each(|i| self.bit(value >> i & 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_the_published_ones() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        // python3 -c 'import zlib; print(hex(zlib.adler32(bytes(1000))))'
        assert_eq!(zeros(1000).last_chunk::<4>(), Some(&0x03e8_0001_u32.to_be_bytes()));
    }

    #[test]
    fn a_picture_is_small_and_says_its_size() {
        let png = plain(1200, 800, [10, 20, 30]);
        assert!(png.len() < 1500, "{}", png.len());
        assert_eq!(png.get(16..24), Some([0, 0, 4, 176, 0, 0, 3, 32].as_slice()));
    }
}
