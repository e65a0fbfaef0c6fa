mod uploader;

use std::fs::File;
use std::io::{Result, Write};
use std::time::Duration;
use uploader::{Entry, Options, Refusal, Uploader};

fn main() {
    if let Err(error) = run() {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn run() -> Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let number = |at: usize| args[at].parse::<i64>().unwrap();
    let mut sent = match args[3].as_str() {
        "-" => None,
        path => Some(File::options().append(true).open(path)?),
    };
    let uploader = Uploader::new(Options {
        base_url: args[1].clone(),
        spool: (args[2] != "-").then(|| args[2].clone().into()),
        on_refused: Some(Box::new(print)),
        held_bytes: number(7) as usize,
        batch_lines: number(8) as usize,
        close_timeout: Duration::from_secs(number(9) as u64),
        ..Options::default()
    })?;
    let text = "x".repeat(number(6) as usize);
    for n in number(4)..=number(5) {
        let text = text.clone();
        uploader.send(&Entry { n, text, more: None })?;
        if let Some(sent) = &mut sent {
            sent.write_all(format!("{n}\n").as_bytes())?;
        }
    }
    uploader.close()
}

fn print(refusal: Refusal) {
    let Refusal { entry, line, name, message, details } = refusal;
    let entry: serde_json::Value = serde_json::from_str(&entry).unwrap();
    let object = serde_json::json!({
        "entry": entry, "line": line, "name": name, "message": message, "details": details
    });
    println!("{object}");
}
