/** A mail as it is sent. */
export interface Letter {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Where a POST ends mails of this kind. */
  unsubscribe?: string;
}

/** A paragraph; with `link`, the address stands below it. */
export interface Paragraph {
  text: string;
  link?: string;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] as string);

/** Names are chosen by users: no line end of theirs begins another line, or a header. */
export const onOneLine = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}]+/gu, ' ').trim();

/** The same words as plain text and as small HTML. */
export function toLetter(to: string, subject: string, paragraphs: Paragraph[]): Letter {
  const lines = paragraphs.map(({ text, link }) => (link ? `${onOneLine(text)}\n${link}` : onOneLine(text)));
  const blocks = paragraphs.map(({ text, link }) => {
    const words = escaped(onOneLine(text));
    return link ? `<p>${words}<br><a href="${escaped(link)}">${escaped(link)}</a></p>` : `<p>${words}</p>`;
  });
  return {
    to,
    subject: onOneLine(subject),
    text: `${lines.join('\n\n')}\n`,
    html: `<!doctype html><html lang="en"><body>${blocks.join('\n')}</body></html>\n`,
  };
}
