/** A message as RFC 9112 delimits it. */
export interface Message {
  method: string;
  body: string;
}

/** What bytes hold under RFC 9112, by a reading that takes nothing that the RFC does not. */
export interface Reading {
  /** Those that are whole. */
  messages: Message[];
  /** Whether something follows that is no whole message: it may be answered, with a refusal. */
  isBroken: boolean;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
// Section 3: a reader may take any whitespace for the one space.
const requestLine = new RegExp(`^(${token})[ \\t]+([\\x21-\\x7e]+)[ \\t]+HTTP/1\\.([01])$`);
const field = new RegExp(`^(${token}):[ \\t]*([\\t\\x20-\\x7e\\x80-\\xff]*?)[ \\t]*$`);
// Section 7.1.1: extensions are ignored, so one that is none (`;a=`) ends where any other does.
const chunkSize = /^([0-9A-Fa-f]+)(?:[ \t]*;[^\r\n]*)?[ \t]*$/;

/** Bytes are given as latin1, so that a character is a byte. */
export function readMessages(bytes: string): Reading {
  const messages: Message[] = [];
  let at = 0;

  function line(): string | undefined {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const text = bytes.slice(at, end);
    at = end + 2;
    return text;
  }

  /** By name; undefined when a line is no field, or the end is missing. */
  function fields(): Map<string, string[]> | undefined {
    const found = new Map<string, string[]>();
    let last: string[] | undefined;
    for (let text = line(); text !== undefined; text = line()) {
      if (text === '') return found;
      if (/^[ \t]/.test(text)) {
        // A folded value goes on; a server may refuse it as well.
        if (!last) return undefined;
        last.push(`${last.pop()} ${text.trim()}`.trim());
        continue;
      }
      const match = field.exec(text);
      if (!match) return undefined;
      const name = (match[1] as string).toLowerCase();
      last = found.get(name) ?? [];
      last.push(match[2] as string);
      found.set(name, last);
    }
    return undefined;
  }

  function chunks(): string | undefined {
    let body = '';
    for (;;) {
      const size = Number.parseInt(chunkSize.exec(line() ?? '')?.[1] ?? '', 16);
      if (!(size <= bytes.length)) return undefined;
      if (size === 0) return fields() && body;
      body += bytes.slice(at, at + size);
      at += size;
      if (line() !== '') return undefined;
    }
  }

  function sized(length: string): string | undefined {
    if (!/^\d+$/.test(length) || at + Number(length) > bytes.length) return undefined;
    at += Number(length);
    return bytes.slice(at - Number(length), at);
  }

  /** Undefined where it is no whole message, `isLast` where nothing after it is one. */
  function message(): (Message & { isLast: boolean }) | undefined {
    const start = requestLine.exec(line() ?? '');
    const headers = start && fields();
    if (!headers) return undefined;
    const codings = headers.get('transfer-encoding');
    const lengths = headers.get('content-length');
    const isOld = start[3] === '0';
    if (codings && (lengths || isOld || codings.join().toLowerCase() !== 'chunked')) return undefined;
    if (lengths && lengths.length > 1) return undefined;
    const body = codings ? chunks() : lengths ? sized(lengths[0] as string) : '';
    const connection = (headers.get('connection') ?? []).join().toLowerCase();
    const isLast = /\bclose\b/.test(connection) || (isOld && !/keep-alive/.test(connection));
    return body === undefined ? undefined : { method: start[1] as string, body, isLast };
  }

  while (at < bytes.length) {
    // Sections 2.2 and 3: a server may skip empty lines before a request, also with LF alone or a bare CR.
    at += (/^[\r\n]*/.exec(bytes.slice(at)) as RegExpExecArray)[0].length;
    if (at === bytes.length) break;
    const next = message();
    if (!next) return { messages, isBroken: true };
    messages.push({ method: next.method, body: next.body });
    if (next.isLast) break;
  }
  return { messages, isBroken: false };
}
