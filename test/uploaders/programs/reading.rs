mod uploader;

use uploader::{Entry, Sky};

/// Reads an entry and writes it again, and makes one without values.
fn main() {
    let text = std::env::args().nth(1).unwrap();
    let entry: Entry = serde_json::from_str(&text).unwrap();
    assert_eq!(entry, entry.clone());
    println!("{}", serde_json::to_string(&entry).unwrap());
    let made = Entry { at: "2026-01-02T03:04:05Z".to_string(), ..Entry::default() };
    assert_eq!(made.sky, Sky::Clear);
    println!("{}", serde_json::to_string(&made).unwrap());
}
