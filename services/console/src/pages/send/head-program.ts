/** Where the program sends entries, and its key if it needs one. */
interface Target {
  origin: string;
  key?: string | undefined;
}

/** The option before the key, and the key after it. */
const places: Record<string, [before: string, key: (quoted: string) => string]> = {
  typescript: ['spool: "spool"', (key) => `, key: ${key}`],
  python: ['spool="spool"', (key) => `, key=${key}`],
  go: ['Spool: "spool"', (key) => `, Key: ${key}`],
  java: ['.spool(java.nio.file.Path.of("spool"))', (key) => `.key(${key})`],
  rust: ['Options { base_url, spool', (key) => `, key: Some(${key}.into())`],
};

/** The program in the head of a client, which runs as it stands; undefined if it has none, as with a newer server. */
export function headProgram(language: string, client: string, { origin, key }: Target): string | undefined {
  const [head] = /^(?:\/\/|#) Use, as [\s\S]*?\n(?:\/\/|#) Run: .*$/m.exec(client) ?? [];
  if (!head) return undefined;
  const program = head
    .replace(/^(?:\/\/|#)(?: {5}|$)/gm, '')
    .replace('"http://127.0.0.1:4000"', () => JSON.stringify(origin));
  const [before, withKey] = places[language] ?? [];
  if (key === undefined || !before || !withKey) return program;
  return program.replace(before, () => before + withKey(JSON.stringify(key)));
}
