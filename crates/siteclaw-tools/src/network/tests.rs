//! Hosts, ports and answers of the name service, each refusal beside what must pass.

use std::collections::HashMap;
use std::sync::Mutex;

use siteclaw_core::{BoxFuture, Code};

use super::*;

/// A name service that gives its answers in turn and writes down what it was asked.
#[derive(Clone, Default)]
struct Names(Arc<Mutex<Book>>);

#[derive(Default)]
struct Book {
    answers: HashMap<String, Vec<Vec<IpAddr>>>,
    asked: Vec<(String, bool)>,
}

impl Names {
    fn of(entries: &[(&str, &[&str])]) -> Self {
        let names = Self::default();
        for (name, addresses) in entries {
            let addresses = addresses.iter().map(|text| text.parse().unwrap()).collect();
            names.0.lock().unwrap().answers.entry((*name).to_owned()).or_default().push(addresses);
        }
        names
    }

    fn asked(&self) -> Vec<(String, bool)> {
        self.0.lock().unwrap().asked.clone()
    }
}

impl Resolve for Names {
    fn resolve(&self, name: String, absolute: bool) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>> {
        let mut book = self.0.lock().unwrap();
        book.asked.push((name.clone(), absolute));
        let answer = match book.answers.get_mut(&name) {
            Some(answers) if answers.len() > 1 => answers.remove(0),
            Some(answers) => answers[0].clone(),
            None => Vec::new(),
        };
        Box::pin(async move { Ok(answer) })
    }
}

fn rules(hosts: &[&str], private: &[&str], ports: &[u16]) -> Rules {
    let owned = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
    Rules { hosts: owned(hosts), private_hosts: owned(private), ports: ports.to_vec() }
}

fn policy(rules: &Rules, names: &Names) -> NetworkPolicy {
    NetworkPolicy::with(rules, Arc::new(names.clone()), StandIns::default()).unwrap()
}

async fn verdict(policy: &NetworkPolicy, text: &str) -> Option<Code> {
    let url = match CheckedUrl::parse(text) {
        Ok(url) => url,
        Err(refused) => return Some(refused.code()),
    };
    policy.vet(url).await.err().map(|refused| refused.code())
}

#[tokio::test]
async fn this_machine_and_local_networks_are_refused_without_a_question() {
    let names = Names::default();
    let policy = policy(&Rules::default(), &names);
    for (text, code) in [
        ("http://127.0.0.1/", URL_BLOCKED_ADDRESS),
        ("http://[::1]/", URL_BLOCKED_ADDRESS),
        ("http://0.0.0.0/", URL_BLOCKED_ADDRESS),
        ("http://[::]/", URL_BLOCKED_ADDRESS),
        ("http://localhost/", URL_BLOCKED_HOST),
        ("http://LOCALHOST./", URL_BLOCKED_HOST),
        ("http://a.localhost/", URL_BLOCKED_HOST),
        ("http://intranet/", URL_BLOCKED_HOST),
        ("http://metadata.google.internal/", URL_BLOCKED_HOST),
        ("http://169.254.169.254/latest/meta-data/", URL_BLOCKED_ADDRESS),
        ("http://[fd00:ec2::254]/", URL_BLOCKED_ADDRESS),
        ("http://[::ffff:127.0.0.1]/", URL_BLOCKED_ADDRESS),
        ("http://[::ffff:7f00:1]/", URL_BLOCKED_ADDRESS),
        ("http://[64:ff9b::7f00:1]/", URL_BLOCKED_ADDRESS),
        ("http://[2002:7f00:1::]/", URL_BLOCKED_ADDRESS),
        ("http://10.0.0.1/", URL_BLOCKED_ADDRESS),
        ("http://172.16.0.1/", URL_BLOCKED_ADDRESS),
        ("http://192.168.0.1/", URL_BLOCKED_ADDRESS),
        ("http://100.64.0.1/", URL_BLOCKED_ADDRESS),
        ("http://[fc00::1]/", URL_BLOCKED_ADDRESS),
        ("http://[fe80::1]/", URL_BLOCKED_ADDRESS),
        ("http://224.0.0.1/", URL_BLOCKED_ADDRESS),
        ("http://example.com:22/", URL_PORT),
        ("https://example.com:80/", DNS_UNRESOLVED),
    ] {
        assert_eq!(verdict(&policy, text).await, Some(code), "{text}");
    }
    // Only the last one got as far as the name service.
    assert_eq!(names.asked(), [("example.com".to_owned(), true)]);
}

#[tokio::test]
async fn public_hosts_are_asked_at_the_addresses_that_were_judged() {
    let names = Names::of(&[("example.com", &["93.184.216.34", "2606:2800:220:1::1"])]);
    let policy = policy(&Rules::default(), &names);
    let vetted = policy.vet(CheckedUrl::parse("https://example.com/").unwrap()).await.unwrap();
    let expected: Vec<SocketAddr> =
        ["93.184.216.34:443", "[2606:2800:220:1::1]:443"].iter().map(|text| text.parse().unwrap()).collect();
    assert_eq!(vetted.addresses(), expected);
    let literal = policy.vet(CheckedUrl::parse("http://1.1.1.1/").unwrap()).await.unwrap();
    assert_eq!(literal.addresses(), ["1.1.1.1:80".parse().unwrap()]);
}

#[tokio::test]
async fn one_bad_answer_refuses_the_name() {
    let names = Names::of(&[
        ("mixed.example", &["93.184.216.34", "10.0.0.1"]),
        ("mapped.example", &["93.184.216.34", "::ffff:127.0.0.1"]),
        ("nat64.example", &["64:ff9b::a9fe:a9fe"]),
        ("metadata.example", &["169.254.169.254"]),
        ("good.example", &["93.184.216.34", "64:ff9b::5db8:d822"]),
    ]);
    let policy = policy(&Rules::default(), &names);
    for host in ["mixed", "mapped", "nat64", "metadata"] {
        let text = format!("http://{host}.example/");
        assert_eq!(verdict(&policy, &text).await, Some(URL_BLOCKED_ADDRESS), "{host}");
    }
    assert_eq!(verdict(&policy, "http://good.example/").await, None);
}

#[tokio::test]
async fn an_operator_may_open_single_private_hosts_and_nothing_worse() {
    let names = Names::of(&[
        ("shop.corp.example", &["10.0.0.7"]),
        ("intranet", &["192.168.1.5"]),
        ("evil.corp.example", &["127.0.0.1"]),
        ("cloud.corp.example", &["169.254.169.254"]),
        ("aws.corp.example", &["fd00:ec2::254"]),
        ("other.example", &["10.0.0.7"]),
    ]);
    let policy = policy(&rules(&[], &["*.corp.example", "intranet", "10.9.0.1"], &[8080]), &names);
    assert_eq!(verdict(&policy, "http://shop.corp.example:8080/").await, None);
    assert_eq!(verdict(&policy, "http://intranet/").await, None);
    assert_eq!(verdict(&policy, "http://10.9.0.1/").await, None);
    for text in [
        "http://evil.corp.example/",
        "http://cloud.corp.example/",
        "http://aws.corp.example/",
        "http://other.example/",
        "http://10.9.0.2/",
    ] {
        assert_eq!(verdict(&policy, text).await, Some(URL_BLOCKED_ADDRESS), "{text}");
    }
    // A short name is looked up as this machine knows it, any other as it stands.
    assert_eq!(names.asked().last(), Some(&("other.example".to_owned(), true)));
    assert!(names.asked().contains(&("intranet".to_owned(), false)));
}

#[tokio::test]
async fn a_list_of_hosts_closes_all_others() {
    let names = Names::of(&[("api.example.com", &["93.184.216.34"]), ("example.org", &["93.184.216.34"])]);
    let policy = policy(&rules(&["*.example.com"], &[], &[]), &names);
    assert_eq!(verdict(&policy, "https://api.example.com/").await, None);
    assert_eq!(verdict(&policy, "https://example.org/").await, Some(URL_BLOCKED_HOST));
    assert_eq!(verdict(&policy, "https://93.184.216.34/").await, Some(URL_BLOCKED_HOST));
}

#[tokio::test]
async fn rules_that_cannot_be_read_are_errors() {
    for rules in [rules(&["exa mple"], &[], &[]), rules(&[], &["*.10.0.0.1"], &[]), rules(&[], &[], &[0])] {
        assert!(NetworkPolicy::new(&rules).is_err(), "{rules:?}");
    }
}

#[tokio::test]
async fn only_addresses_of_this_machine_can_stand_for_others() {
    let stand_ins = StandIns::of(&["127.0.0.2".parse().unwrap(), "10.0.0.1".parse().unwrap()]);
    let policy = NetworkPolicy::with(&Rules::default(), Arc::new(Names::default()), stand_ins).unwrap();
    assert_eq!(verdict(&policy, "http://127.0.0.2/").await, None);
    assert_eq!(verdict(&policy, "http://127.0.0.1/").await, Some(URL_BLOCKED_ADDRESS));
    assert_eq!(verdict(&policy, "http://10.0.0.1/").await, Some(URL_BLOCKED_ADDRESS));
}

#[tokio::test(start_paused = true)]
async fn a_name_service_that_never_answers_is_given_up() {
    struct Never;
    impl Resolve for Never {
        fn resolve(&self, _: String, _: bool) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>> {
            Box::pin(std::future::pending())
        }
    }
    let policy = NetworkPolicy::with(&Rules::default(), Arc::new(Never), StandIns::default()).unwrap();
    assert_eq!(verdict(&policy, "https://example.com/").await, Some(DNS_UNRESOLVED));
}

#[test]
fn refusals_say_what_and_why_and_show_nothing_that_deceives() {
    let text = |url: &str| match CheckedUrl::parse(url) {
        Err(refused) => refused.to_string(),
        Ok(url) => NetworkPolicy::new(&Rules::default()).unwrap().check(&url).unwrap_err().to_string(),
    };
    assert_eq!(
        text("http://[64:ff9b::7f00:1]/"),
        "The host '64:ff9b::7f00:1' is blocked: 64:ff9b::7f00:1 carries 127.0.0.1 (NAT64): this machine (RFC 1122)."
    );
    assert_eq!(text("http://example.com:22/"), "The port 22 is not allowed; allowed are 80, 443.");
    assert_eq!(text("ht\u{202e}tp://x/"), "The scheme 'ht?tp' is not allowed; only http and https are.");
    assert_eq!(
        text("http://127.1/"),
        "The host is the IPv4 address 127.0.0.1 in another spelling, which is not allowed."
    );
}
