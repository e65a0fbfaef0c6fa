/** For tests, and sharing nothing with the code under test: JSON text → text that is the same exactly for equal values. */
export function canonical(json: string): string {
  let i = 0;
  const space = () => {
    while (' \t\r\n'.includes(json[i] ?? 'x')) i++;
  };
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = i;
    const [token] = pattern.exec(json) as RegExpExecArray;
    i += token.length;
    return token;
  };
  const items = (close: string, item: () => string): string[] => {
    const all: string[] = [];
    i++;
    for (space(); json[i] !== close; space()) {
      if (json[i] === ',') i++;
      space();
      all.push(item());
    }
    i++;
    return all;
  };
  const string = () => JSON.stringify(JSON.parse(take(/"(?:[^"\\]|\\.)*"/y)));
  const value = (): string => {
    space();
    if (json[i] === '"') return string();
    if (json[i] === '[') return `[${items(']', value).join()}]`;
    if (json[i] === '{') return `{${items('}', member).sort().join()}}`;
    return /[-\d]/.test(json[i] as string) ? decimal(take(/[-+.\deE]+/y)) : take(/[a-z]+/y);
  };
  const member = () => {
    const key = string();
    space();
    i++;
    return `${key}:${value()}`;
  };
  return value();
}

/**
 * The value as an integer at a fixed scale of 10^-2000. A 64-bit integer is exact.
 * A number of at most 17 significant digits is the double that it names.
 */
function decimal(literal: string): string {
  const exact = scaled(literal);
  const isHeld = exact % unit === 0n && exact >= -(2n ** 63n) * unit && exact < 2n ** 63n * unit;
  if (isHeld) return String(exact);
  const digits = String(exact).replace(/^-?0*|0*$/g, '').length;
  const double = Number(literal);
  const names = digits <= 17 && Number.isFinite(double) && double !== 0;
  return String(names ? scaled(String(double)) : exact);
}

const unit = 10n ** 2_000n;

function scaled(literal: string): bigint {
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)\.?(\d*)(?:[eE](.+))?$/.exec(
    literal,
  ) as RegExpExecArray;
  const size = BigInt(whole + fraction) * 10n ** BigInt(2_000 + Number(exponent) - fraction.length);
  return sign ? -size : size;
}
