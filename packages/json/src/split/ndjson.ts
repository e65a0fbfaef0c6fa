import { isBlank, type LineSink, type Splitter } from './splitter.ts';

const newline = 0x0a;

/** Lines of NDJSON. Blank ones are left out, but they count. */
export function ndjsonSplitter(sink: LineSink): Splitter {
  let line = 1;
  /** Something other than blanks is in the line under way. */
  let isFilled = false;

  function add(piece: Uint8Array, from: number, to: number): void {
    for (let at = from; !isFilled && at < to; at++) isFilled = !isBlank(piece[at] as number);
    sink.bytes(piece, from, to);
  }

  function finish(): void {
    if (isFilled) sink.end(line);
    else sink.drop();
    isFilled = false;
    line += 1;
  }

  return {
    push(piece) {
      let from = 0;
      for (;;) {
        const end = piece.indexOf(newline, from);
        if (end === -1) break;
        add(piece, from, end);
        finish();
        from = end + 1;
      }
      add(piece, from, piece.length);
    },
    end: finish,
  };
}
