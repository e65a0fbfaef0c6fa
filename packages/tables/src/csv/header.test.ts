import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CsvOptions, createReadLayout } from './header.ts';

const schema = { properties: { address: { properties: { city: {} } }, 'a.b': {}, "'x": {} } };
const read = (first: string | Buffer, options: Partial<CsvOptions> = {}) =>
  createReadLayout({ schema: {}, formulas: 'escape', ...options })(Buffer.from(first));
const columns = (header: string | Buffer, of: Record<string, unknown> = schema) =>
  read(header, { schema: of })?.columns;

describe('names for a file without a header', () => {
  // biome-ignore format: a table, a row a line
  it.each<[what: string, names: string, first: string, delimiter: string, pointers: (string | null)[]]>([
    ['with commas', 'a,b.c,/d.e', '1,2,3\r', ',', ['/a', '/b/c', '/d.e']],
    ['whatever separates the cells', 'a,b', 'x, y, z;2', ';', ['/a', '/b']],
    ['where only one delimiter gives that many cells', 'a,b', '1|2,3,4', '|', ['/a', '/b']],
    ['in quotes', '"a,b",c', '1,2', ',', ['/a,b', '/c']],
    ['with a time, which is left out', 'createdAt,n', '2026-11-22T23:26:24.481Z,1', ',', [null, '/n']],
    ['of another number of columns, so that its rows are refused', 'a,b', '1;2;3', ';', ['/a', '/b']],
    ['of one column', 'a', 'x, y', ';', ['/a']],
    ['that contain a delimiter, in quotes', '"a;b",c', '1,2', ',', ['/a;b', '/c']],
  ])('%s', (_what, names, first, delimiter, pointers) => {
    expect(read(first, { names })).toMatchObject({ columns: pointers, delimiter, hasHeader: false });
  });

  it('are refused for a file whose lines end in CR alone', () => {
    expect(() => read('1,2\r3,4\r', { names: 'a,b' })).toThrow('end in CR alone');
    expect(read('1,"2\r3"\r', { names: 'a,b' })?.columns).toEqual(['/a', '/b']);
  });

  it('wait for the first row that is not empty', () => {
    expect(read('\r', { names: 'a' })).toBeUndefined();
  });

  it('are read once, however many empty records come first', () => {
    let count = 0;
    const counted = {
      get properties() {
        count += 1;
        return {};
      },
    };
    const readLayout = createReadLayout({ schema: counted, formulas: 'escape', names: 'a' });
    readLayout(Buffer.from(''));
    const before = count;
    for (let i = 0; i < 1_000; i++) expect(readLayout(Buffer.from(''))).toBeUndefined();
    expect(readLayout(Buffer.from('1'))?.columns).toEqual(['/a']);
    expect([before > 0, count]).toEqual([true, before]);
  });

  it.each([['a,,b'], ['a,a'], ['"a'], ['a;b'], ['a\tb,c'], ['a|b']])('are refused: %s', (names) => {
    expect(() => read('1,2', { names })).toThrow('nothing was stored');
  });
});

describe('other names for columns of a header', () => {
  const cell = fc.stringMatching(/^[a-zA-Z .;/'=_-]{1,6}$/);
  const outcome = (layout: () => unknown) => {
    try {
      return layout();
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('are read like a file that has them in its header', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(cell, { minLength: 1, maxLength: 6 }),
        fc.array(fc.option(cell, { freq: 2 }), { minLength: 6, maxLength: 6 }),
        (names, others) => {
          const line = (cells: string[]) => cells.map((each) => `"${each}"`).join();
          const renames = new Map<string, string>();
          for (const [at, name] of names.entries()) if (others[at]) renames.set(name, others[at]);
          fc.pre(new Set(renames.values()).size === renames.size);
          const renamed = names.map((name) => renames.get(name) ?? name);
          const given = JSON.stringify(Object.fromEntries(renames));
          expect(outcome(() => read(line(names), { schema, names: given })?.columns)).toEqual(
            outcome(() => columns(line(renamed))),
          );
        },
      ),
    );
  });

  it('are null for columns to leave out, also without a name', () => {
    expect(read('a,b,,c', { names: '{"a":null,"":null,"b":"/x"}' })?.columns).toEqual([
      null,
      '/x',
      null,
      '/c',
    ]);
  });

  // biome-ignore format: a table, a row a line
  it.each<[names: string, message: string]>([
    ['{', 'columns must be a JSON object that has each name once'],
    ['{"a":"x","a":"y"}', 'columns must be a JSON object that has each name once'],
    ['{"__proto__":"y"}', 'columns must be a JSON object that has each name once'],
    ['{"a":1}', 'columns must give "a" a name, or null to leave the column out'],
    ['{"a":""}', 'columns must give "a" a name, or null to leave the column out'],
    ['{"a":"x","b":"x"}', 'columns gives "a" and "b" one name: "x"'],
    ['{"a":"b"}', 'two columns of the CSV are the same: "b" and "b"'],
    ['{"c":"d"}', 'the CSV has no column "c", which columns renames'],
  ])('are refused: %s', (names, message) => {
    expect(() => read('a,b', { names })).toThrow(message);
  });
});

describe('a header', () => {
  // biome-ignore format: a table, a row a line
  it.each<[what: string, header: string, pointers: (string | null)[]]>([
    ['names of nested columns', 'createdAt,address.city\r', [null, '/address/city']],
    ['a name with a dot beside the pointer of the same name in the schema', 'a.b,/a.b', ['/a/b', '/a.b']],
    ['pointers', '/address/zip,/a.b', ['/address/zip', '/a.b']],
    ['names that nobody knows', 'x,y.z', ['/x', '/y/z']],
    ['escaped formulas', "'=x,'@y,'z", ['/=x', '/@y', "/'z"]],
    ['the pointer of a name that would be escaped', "/'x", ["/'x"]],
    ['quoted names', '"a,b","c"', ['/a,b', '/c']],
  ])('with %s', (_what, header, pointers) => {
    expect(columns(header)).toEqual(pointers);
  });

  it('with createdAt means the property only where the schema has it and nothing else does', () => {
    const own = { properties: { createdAt: {} } };
    expect(columns('createdAt,n', own)).toEqual(['/createdAt', '/n']);
    expect(columns('createdAt,/createdAt', own)).toEqual([null, '/createdAt']);
    expect(columns('createdAt,n')).toEqual([null, '/n']);
  });

  // biome-ignore format: a table, a row a line
  it.each<[what: string, header: string, delimiter: string, pointers: string[]]>([
    ['semicolons', 'a;b', ';', ['/a', '/b']],
    ['tabs', 'a\tb\r', '\t', ['/a', '/b']],
    ['pipes', 'a|b', '|', ['/a', '/b']],
    ['a decimal comma in a name', 'Price, EUR;city;date', ';', ['/Price, EUR', '/city', '/date']],
    ['other delimiters in quotes', '"a,b,c";"d|e|f|g"', ';', ['/a,b,c', '/d|e|f|g']],
    ['as many of two', 'a;b,c', ',', ['/a;b', '/c']],
    ['none', 'a', ',', ['/a']],
  ])('with %s tells what separates the cells', (_what, header, delimiter, pointers) => {
    expect(read(header)).toMatchObject({ columns: pointers, delimiter, hasHeader: true });
  });

  it.each([
    ['sep=;', ';', ['/a,b', '/c']],
    ['sep=;\r', ';', ['/a,b', '/c']],
    ['SEP=\t', '\t', ['/a,b;c']],
    ['sep=,', ',', ['/a', '/b;c']],
  ])('behind the line %j has that delimiter', (line, delimiter, pointers) => {
    const readLayout = createReadLayout({ schema: {}, formulas: 'escape' });
    expect(readLayout(Buffer.from(line))).toBeUndefined();
    expect(readLayout(Buffer.from('a,b;c'))).toMatchObject({ columns: pointers, delimiter, hasHeader: true });
  });

  it('of one column may be called so, in quotes', () => {
    expect(read('"sep=;"')?.columns).toEqual(['/sep=;']);
  });

  it('of an export has commas, whatever its names have', () => {
    const own = { properties: { 'x;y;z': {}, 'p|q': {} } };
    for (const of of [own, {}]) {
      expect(columns('createdAt,"x;y;z","p|q"', of)).toEqual([null, '/x;y;z', '/p|q']);
      expect(columns('"x;y;z"', of)).toEqual(['/x;y;z']);
    }
  });

  // biome-ignore format: a table, a row a line
  it.each<[what: string, header: string | Buffer, message: string]>([
    ['nothing', '', 'the CSV has no header'],
    ['a line end only', '\r', 'the CSV has no header'],
    ['more than one CR', '\r\r', 'the CSV has no header'],
    ['a column without a name', 'a,,b', 'column 2 of the CSV has no name: give it one, or remove it'],
    ['a name twice', 'a,b,a', 'two columns of the CSV are the same: "a" and "a"'],
    ['a name and its pointer', 'address.city,/address/city', 'two columns of the CSV are the same: "address.city" and "/address/city"'],
    ['a name with a dot that the schema has as a key', 'a.b,c', 'the column "a.b" of the CSV could be two fields: name it "/a.b", which the schema has, or "/a/b"'],
    ['what is no JSON Pointer', '/a~2,/a~02', '"/a~2" is no JSON Pointer: ~ is written ~0, and / in a key ~1'],
    ['an open quote', 'a,"b', 'the header of the CSV: cell 2 has a quote without an end; with curl use --data-binary, as -d removes line ends'],
    ['bytes that are no UTF-8', Buffer.from('id,\xe9', 'latin1'), 'the header of the CSV is not valid UTF-8 at byte 4; it looks like Windows-1252, which is a guess: convert it, such as with iconv -f WINDOWS-1252 -t UTF-8'],
    ['UTF-16', Buffer.from('Größe,ф', 'utf16le'), 'the header of the CSV is not valid UTF-8 at byte 5; it looks like UTF-16LE without a byte order mark, which is a guess: convert it, such as with iconv -f UTF-16LE -t UTF-8'],
    ['UTF-16 that is valid UTF-8', Buffer.from('фa;b', 'utf16le'), 'the header of the CSV has NUL characters; it looks like UTF-16LE without a byte order mark, which is a guess: convert it, such as with iconv -f UTF-16LE -t UTF-8'],
    ['NULs here and there', 'a\0b\0\0', 'the header of the CSV has NUL characters; convert it to UTF-8'],
    ['a byte order mark of its own', '\ufeffa,b', 'the CSV begins with two byte order marks: only the start of a file may have one, and joined files have more: remove it'],
    ['another separator than there may be', 'sep=:', 'the first line of the CSV is sep=:, but only , ; tab and | may separate cells'],
    ['line ends of one CR', 'a,b\r1,2\r3,4', 'the lines of the CSV end in CR alone; LF or CRLF is needed'],
    ['the key __proto__', '__proto__.a', 'the key __proto__ is not allowed'],
    ['too many levels', `a${'.a'.repeat(64)}`, 'a column of the CSV is nested more than 64 levels deep'],
    ['too many columns', Array.from({ length: 5_002 }, (_, i) => i).join(), 'the CSV has more than 5000 columns'],
  ])('with %s is refused', (_what, header, message) => {
    expect(() => columns(header)).toThrow(`${message}; nothing was stored`);
  });
});
