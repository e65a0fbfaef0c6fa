mod uploader;

use std::fs::File;
use std::io::Write;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use uploader::{Entry, Error, Options, Refusal, Uploader};

fn main() {
    if let Err(error) = run() {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().collect();
    let number = |at: usize| args[at].parse::<i64>().unwrap();
    let is_poisoned = args[10] == "yes";
    let mut sent = match args[3].as_str() {
        "-" => None,
        path => Some(File::options().append(true).open(path)?),
    };
    let known = Arc::new(OnceLock::<Arc<Uploader>>::new());
    let of_callback = known.clone();
    let uploader = Uploader::new(Options {
        base_url: args[1].clone(),
        domain: Some(args[12].clone()),
        key: (args[11] != "-").then(|| args[11].clone()),
        spool: (args[2] != "-").then(|| args[2].clone().into()),
        on_refused: Some(Box::new(move |refusal| match of_callback.get() {
            Some(uploader) => fail(refusal, uploader),
            None => tell(refusal),
        })),
        held_bytes: number(7) as usize,
        batch_lines: number(8) as usize,
        close_timeout: Duration::from_secs(number(9) as u64),
        ..Options::default()
    })?;
    let uploader = Arc::new(uploader);
    if is_poisoned {
        let _ = known.set(uploader.clone());
    }
    let text = "x".repeat(number(6) as usize);
    let mut count = 0;
    let mut poison = poison(&text, is_poisoned).into_iter();
    for n in number(4)..=number(5) {
        let text = text.clone();
        uploader.send(&Entry { n, text, ..Entry::default() })?;
        if let Some(sent) = &mut sent {
            sent.write_all(format!("{n}\n").as_bytes())?;
        }
        if let Some(entry) = poison.next() {
            count += 1;
            if uploader.send(&entry).is_err() {
                println!("-{count} send");
            }
        }
    }
    if is_poisoned {
        let told = uploader.flush().unwrap_err().to_string();
        assert_eq!(told, "a callback panicked: a callback that fails");
        uploader.close()?;
        let late = Entry { n: -3, text: "x".repeat(17 << 20), ..Entry::default() };
        if uploader.send(&late).is_err() {
            println!("-3 send");
        }
    }
    if args[11] != "-" {
        uploader.flush()?;
        println!("missing {}", uploader.verify()?);
    }
    uploader.close()
}

fn poison(text: &str, is_poisoned: bool) -> Vec<Entry> {
    let entry = |n, text| Entry { n, text, ..Entry::default() };
    let of_ratio = |ratio| Entry { ratio: Some(ratio), ..entry(1, String::new()) };
    if !is_poisoned {
        return Vec::new();
    }
    vec![
        entry(-1, text.to_string()),
        entry(-2, "x".repeat(2 << 20)),
        entry(-3, "x".repeat(17 << 20)),
        of_ratio(f64::NAN),
        of_ratio(f64::NEG_INFINITY),
    ]
}

fn fail(Refusal { entry, name, .. }: Refusal, uploader: &Uploader) {
    let Entry { n, .. } = serde_json::from_str(&entry).unwrap();
    println!("{n} {name}");
    if n == -1 {
        let large = Entry { n: -100, text: "x".repeat(9 << 20), ..Entry::default() };
        if uploader.send(&large).is_err() {
            println!("-100 send");
        }
        if uploader.flush().is_err() && uploader.close().is_err() {
            println!("-101 flush and close");
        }
    }
    panic!("a callback that fails");
}

fn tell(refusal: Refusal) {
    let Refusal { entry, line, name, message, details } = refusal;
    // A line of a damaged file may not be JSON.
    let entry = serde_json::from_str(&entry).unwrap_or(serde_json::Value::String(entry));
    let object = serde_json::json!({
        "entry": entry, "line": line, "name": name, "message": message, "details": details
    });
    println!("{object}");
}
