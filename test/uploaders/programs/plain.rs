use serde::Serialize;

#[derive(Serialize)]
struct Entry<'a> {
    n: i64,
    text: &'a str,
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = "x".repeat(args[3].parse().unwrap());
    let agent = ureq::Agent::new_with_defaults();
    for n in 1..=args[2].parse().unwrap() {
        let body = serde_json::to_vec(&Entry { n, text: &text }).unwrap();
        let request = agent.post(&args[1]).header("Content-Type", "application/json");
        let mut response = request.send(&body[..]).unwrap();
        assert_eq!(response.status(), 201);
        response.body_mut().read_to_vec().unwrap();
    }
}
