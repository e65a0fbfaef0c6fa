import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runs } from '../../../test/support/runs.ts';
import { decodeText, explainBytes, foreignStart } from './explain-bytes.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('bytes that are not UTF-8', () => {
  it('are named by the first of them, as far as all before it are text', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.constant(Buffer.from('\ufffd')),
      fc.uint8Array({ maxLength: 4 }),
    );
    // A long text is looked through in blocks of 4 KiB.
    const before = fc.oneof(fc.constant(0), fc.integer({ min: 4_080, max: 4_100 }));
    fc.assert(
      fc.property(before, fc.array(part), (length, parts) => {
        const bytes = Buffer.concat([Buffer.alloc(length, 'a'), ...parts]);
        if (isUtf8(bytes)) {
          expect(decodeText(bytes)).toBe(bytes.toString());
          return;
        }
        const fault = Number(/^not valid UTF-8 at byte (\d+); /.exec(explainBytes(bytes))?.[1]) - 1;
        expect(decodeText(bytes)).toBeUndefined();
        expect(isUtf8(bytes.subarray(0, fault))).toBe(true);
        for (let end = fault + 1; end <= Math.min(fault + 4, bytes.length); end++)
          expect(isUtf8(bytes.subarray(0, end))).toBe(false);
      }),
      runs(300),
    );
  });

  it('are encoded again only around the fault, however many replacement characters come before', () => {
    const encode = vi.spyOn(TextEncoder.prototype, 'encode');
    onTestFinished(() => encode.mockRestore());
    const bytes = Buffer.concat([Buffer.from('\ufffd'.repeat(100_000)), Buffer.from([0xff])]);
    expect(explainBytes(bytes)).toMatch(/^not valid UTF-8 at byte 300001; /);
    const lengths = encode.mock.calls.map(([text = '']) => text.length);
    expect(lengths).toHaveLength(1);
    expect(lengths[0]).toBeLessThan(4_100);
  });

  it.each([
    ['one letter among others', 'Gr\xf6\xdfe', /at byte 3; it looks like Windows-1252, which is a guess/],
    ['words of another encoding', '\xcf\xf0\xe8\xe2\xe5\xf2', /at byte 1; convert it to UTF-8$/],
    ['a byte that Windows-1252 does not have', 'a\x81b', /at byte 2; convert it to UTF-8$/],
    ['some that is UTF-8', 'G\xc3\xb6r\xf6', /at byte 5; convert it to UTF-8$/],
    ['UTF-16 with its mark', '\xfe\xff\0a', /at byte 1; it is UTF-16: convert it, such as with iconv/],
  ])('are explained: %s', (_what, text, message) => {
    expect(explainBytes(latin1(text))).toMatch(message);
  });
});

describe('a file that is no text in UTF-8', () => {
  it.each([
    ['gzip', '\x1f\x8b\x08\0', /looks like gzip/],
    ['zstd', '\x28\xb5\x2f\xfd', /looks like zstd/],
    ['a spreadsheet', 'PK\x03\x04', /save it as CSV/],
    ['UTF-16', '\xff\xfea\0', /it is UTF-16:/],
    ['UTF-16, big end first', '\xfe\xff\0a', /it is UTF-16:/],
    ['UTF-32', '\xff\xfe\0\0a\0\0\0', /it is UTF-32:/],
    ['UTF-16LE without a mark', '{\0"\0a\0', /looks like UTF-16LE .* a guess/],
    ['UTF-16BE without a mark', '\0{\0"', /looks like UTF-16BE .* a guess/],
  ])('is known by its start: %s', (_what, text, message) => {
    expect(foreignStart(latin1(text))).toMatch(message);
  });

  it.each([[''], ['a'], ['{"a":1}'], ['\xef\xbb\xbfa,b'], ['a\n\0\n'], ['\0a'], ['P,K'], ['\xc3\xa9']])(
    'is not taken for one: %j',
    (text) => {
      expect(foreignStart(latin1(text))).toBeUndefined();
    },
  );
});
