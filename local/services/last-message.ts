/** The last message of a service that ended, as one line. Lines of its log are JSON or plain text. */
export function lastMessage(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim());
  const forPeople = lines.flatMap((line) => /^sluice [\w-]+: (.*)/.exec(line)?.[1] ?? []);
  if (forPeople.length > 0) return forPeople.join('; ');
  const severe = lines.map(parse).findLast((entry) => (entry?.level ?? 0) >= 50);
  if (severe) return said(severe);
  // After an uncaught error, Node prints the message, the stack and its own version.
  const thrown = lines.findLast((line) => /^\w*Error\b.*: /.test(line));
  const last = lines.at(-1)?.trim();
  return thrown?.replace(/^\w*Error\b[^:]*: /, '') ?? (last && (said(parse(last)) ?? last));
}

interface Entry {
  level?: number;
  msg?: string;
  err?: { message?: string };
}

function parse(line: string): Entry | undefined {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return undefined;
  }
}

function said(entry?: Entry): string | undefined {
  const [msg, cause] = [entry?.msg, entry?.err?.message];
  const both = msg && cause && !msg.includes(cause) ? `${msg}: ${cause}` : (msg ?? cause);
  return both?.replaceAll(/\s*\n\s*/g, '; ');
}
