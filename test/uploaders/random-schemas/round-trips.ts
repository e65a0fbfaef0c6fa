import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { type LanguageName, makeClient, makeTypes } from '@sluice/clients/client.ts';
import { cache, compile, copyProgram } from '../compiled.ts';
import { checkFormat, lint as lintGo, programIn } from '../languages/go.ts';
import { classPath, lint, programOf } from '../languages/java.ts';
import { checkClients } from '../languages/python-tools.ts';
import type { Case } from './cases.ts';

const tsc = join(import.meta.dirname, '../../../node_modules/typescript/bin/tsc');
const strictProject = {
  compilerOptions: {
    target: 'es2022',
    module: 'preserve',
    lib: ['es2022', 'dom'],
    types: [],
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
  },
};

/** Compiles the clients of all cases at once, with warnings as errors. Resolves with each payload, read and written by its types. */
export type RoundTrip = (folder: string, cases: Case[]) => Promise<string[]>;

async function write(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const wanted = (language: LanguageName, { rawSchema }: Case) => ({
  language,
  rawSchema,
  domain: 'random-k3v9q2',
  version: 1,
});
const client = (language: LanguageName, one: Case) => makeClient(wanted(language, one));

const filesOf = (cases: Case[], pathOf: (at: number) => string, textOf: (one: Case, at: number) => string) =>
  Object.fromEntries(cases.map((one, at) => [pathOf(at), textOf(one, at)]));

const each = (cases: Case[], text: (at: number) => string) => cases.map((_, at) => text(at)).join('\n');
const linesOf = (output: string) => output.trimEnd().split('\n');
const payloadsOf = (cases: Case[]) => cases.map(({ payload }) => `${payload}\n`).join('');

const typescript: RoundTrip = async (folder, cases) => {
  await write(folder, {
    ...filesOf(
      cases,
      (at) => `c${at}.ts`,
      (one) => client('typescript', one),
    ),
    // A literal shows that the types allow the payload.
    'main.ts': `${each(cases, (at) => `import type { Entry as E${at} } from './c${at}.ts';`)}
export const all = [
${cases.map(({ payload }, at) => `(${payload}) satisfies E${at},`).join('\n')}
];`,
    'package.json': '{"type":"module"}',
    'tsconfig.json': JSON.stringify(strictProject),
  });
  await compile(folder, process.execPath, [tsc, '-p', folder]);
  return cases.map(({ payload }) => payload);
};

const python: RoundTrip = async (folder, cases) => {
  await write(folder, {
    ...filesOf(
      cases,
      (at) => `c${at}.py`,
      (one) => client('python', one),
    ),
    payloads: payloadsOf(cases),
    'main.py': `import json
${each(cases, (at) => `import c${at}`)}
lines = open("payloads", encoding="utf-8").read().split("\\n")
${each(cases, (at) => `print(json.dumps(c${at}.Entry.from_dict(json.loads(lines[${at}])).to_dict()))`)}
`,
  });
  await checkClients(folder, ...cases.map((_, at) => `c${at}.py`));
  return linesOf(await compile(folder, 'python3', ['-W', 'error', 'main.py']));
};

const go: RoundTrip = async (folder, cases) => {
  await write(folder, {
    ...filesOf(
      cases,
      (at) => `c${at}/uploader.go`,
      (one) => client('go', one),
    ),
    ...filesOf(
      cases,
      (at) => `c${at}/entry/entry.go`,
      (one) => makeTypes(wanted('go', one)),
    ),
    ...filesOf(
      cases,
      (at) => `c${at}/program/main.go`,
      (one, at) => programIn(client('go', one)).replace('app/uploader', `random/c${at}`),
    ),
    payloads: payloadsOf(cases),
    'go.mod': 'module random\n\ngo 1.24\n',
    'main.go': `package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
${each(cases, (at) => `\tc${at} "random/c${at}"`)}
)

func try(line []byte, entry any) {
	if err := json.Unmarshal(line, entry); err != nil {
		panic(err)
	}
	text, err := json.Marshal(entry)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
}

func main() {
	text, _ := os.ReadFile("payloads")
	lines := bytes.Split(text, []byte("\\n"))
${each(cases, (at) => `\ttry(lines[${at}], &c${at}.Entry{})`)}
}
`,
  });
  await lintGo(folder);
  await checkFormat(folder, ...cases.map((_, at) => `c${at}`));
  return linesOf(await compile(folder, 'go', ['run', '.']));
};

const java: RoundTrip = async (folder, cases) => {
  const path = [folder, await classPath()].join(delimiter);
  await write(folder, {
    ...filesOf(
      cases,
      (at) => `c${at}/Uploader.java`,
      (one, at) => makeClient({ ...wanted('java', one), package: `c${at}` }),
    ),
    ...filesOf(
      cases,
      (at) => `t${at}/Types.java`,
      (one, at) => makeTypes({ ...wanted('java', one), package: `t${at}` }),
    ),
    ...filesOf(
      cases,
      (at) => `p${at}/Send.java`,
      (one, at) => `package p${at};\n${programOf(makeClient({ ...wanted('java', one), package: `c${at}` }))}`,
    ),
    payloads: payloadsOf(cases),
    'Main.java': `import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class Main {
    static final ObjectMapper json = new ObjectMapper();

    static void attempt(String line, Class<?> type) throws Exception {
        System.out.println(json.writeValueAsString(json.readValue(line, type)));
    }

    public static void main(String[] args) throws Exception {
        System.setOut(new java.io.PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), true, "UTF-8"));
        List<String> lines = List.of(Files.readString(Path.of("payloads")).split("\\n"));
${each(cases, (at) => `        attempt(lines.get(${at}), c${at}.Uploader.Entry.class);`)}
    }
}
`,
  });
  const sources = cases.flatMap((_, at) => [`c${at}/Uploader.java`, `t${at}/Types.java`, `p${at}/Send.java`]);
  await compile(folder, 'javac', [...lint, '-encoding', 'UTF-8', '-cp', path, 'Main.java', ...sources]);
  return linesOf(await compile(folder, 'java', ['-cp', path, 'Main']));
};

const rust: RoundTrip = async (folder, cases) => {
  for (const file of ['Cargo.toml', 'Cargo.lock', 'plain.rs']) await copyProgram(file, folder);
  await write(folder, {
    ...filesOf(
      cases,
      (at) => `c${at}.rs`,
      (one) => client('rust', one),
    ),
    payloads: payloadsOf(cases),
    // The name of a program in Cargo.toml.
    'send.rs': `${each(cases, (at) => `mod c${at};`)}

fn attempt<T: serde::Serialize + serde::de::DeserializeOwned>(line: &str) {
    let entry: T = serde_json::from_str(line).unwrap();
    println!("{}", serde_json::to_string(&entry).unwrap());
}

fn main() {
    let text = std::fs::read_to_string("payloads").unwrap();
    let lines: Vec<&str> = text.split('\\n').collect();
${each(cases, (at) => `    attempt::<c${at}::Entry>(lines[${at}]);`)}
}
`,
  });
  const env = { RUSTFLAGS: '-Dwarnings', CARGO_TARGET_DIR: join(cache, 'rust-random') };
  for (const edition of ['2021', '2024'])
    await compile(folder, 'rustfmt', ['--check', '--edition', edition, ...cases.map((_, at) => `c${at}.rs`)]);
  const pedantic = ['--', '-Wclippy::pedantic', '-Dwarnings'];
  await compile(folder, 'cargo', ['clippy', '--quiet', '--locked', '--bin', 'send', ...pedantic], env);
  return linesOf(await compile(folder, 'cargo', ['run', '--quiet', '--locked', '--bin', 'send'], env));
};

export const roundTrips: Record<LanguageName, RoundTrip> = { typescript, python, go, java, rust };
