import { buildPattern } from '@sluice/schemas/patterns/linear-regexp.ts';
import { membersOf } from '@sluice/schemas/patterns/property.ts';
import { expect, it } from 'vitest';

const isKnown = (property: string) => {
  try {
    new RegExp(`\\p{${property}}`, 'u');
    return true;
  } catch {
    return false;
  }
};

const categories = (
  'L Letter LC Cased_Letter Lu Uppercase_Letter Ll Lowercase_Letter Lt Titlecase_Letter Lm Modifier_Letter Lo Other_Letter ' +
  'M Mark Combining_Mark Mn Nonspacing_Mark Mc Spacing_Mark Me Enclosing_Mark N Number Nd Decimal_Number digit ' +
  'Nl Letter_Number No Other_Number P Punctuation punct Pc Connector_Punctuation Pd Dash_Punctuation ' +
  'Ps Open_Punctuation Pe Close_Punctuation Pi Initial_Punctuation Pf Final_Punctuation Po Other_Punctuation ' +
  'S Symbol Sm Math_Symbol Sc Currency_Symbol Sk Modifier_Symbol So Other_Symbol Z Separator Zs Space_Separator ' +
  'Zl Line_Separator Zp Paragraph_Separator C Other Cc Control cntrl Cf Format Cs Surrogate Co Private_Use Cn Unassigned'
).split(' ');
const binary = (
  'ASCII ASCII_Hex_Digit AHex Alphabetic Alpha Any Assigned Bidi_Control Bidi_C Bidi_Mirrored Bidi_M Case_Ignorable CI ' +
  'Cased Changes_When_Casefolded CWCF Changes_When_Casemapped CWCM Changes_When_Lowercased CWL ' +
  'Changes_When_NFKC_Casefolded CWKCF Changes_When_Titlecased CWT Changes_When_Uppercased CWU Dash ' +
  'Default_Ignorable_Code_Point DI Deprecated Dep Diacritic Dia Emoji Emoji_Component EComp Emoji_Modifier EMod ' +
  'Emoji_Modifier_Base EBase Emoji_Presentation EPres Extended_Pictographic ExtPict Extender Ext Grapheme_Base Gr_Base ' +
  'Grapheme_Extend Gr_Ext Hex_Digit Hex IDS_Binary_Operator IDSB IDS_Trinary_Operator IDST ID_Continue IDC ID_Start IDS ' +
  'Ideographic Ideo Join_Control Join_C Logical_Order_Exception LOE Lowercase Lower Math Noncharacter_Code_Point NChar ' +
  'Pattern_Syntax Pat_Syn Pattern_White_Space Pat_WS Quotation_Mark QMark Radical Regional_Indicator RI ' +
  'Sentence_Terminal STerm Soft_Dotted SD Terminal_Punctuation Term Unified_Ideograph UIdeo Uppercase Upper ' +
  'Variation_Selector VS White_Space space XID_Continue XIDC XID_Start XIDS'
).split(' ');
const letters = [...'abcdefghijklmnopqrstuvwxyz'];
/** All four letters that name a script, such as `Grek`. */
const scripts = letters.flatMap((a) =>
  letters.flatMap((b) =>
    letters
      .flatMap((c) => letters.map((d) => `${a.toUpperCase()}${b}${c}${d}`))
      .filter((name) => isKnown(`sc=${name}`)),
  ),
);

const codes = Array.from({ length: 0x110000 }, (_, code) => code);
const isSurrogate = (code: number) => code >= 0xd800 && code < 0xe000;
const characters = codes.map((code) => String.fromCodePoint(code));
/** Each of them, surrogates apart from each other. */
const everything = `${characters.filter((_, code) => !isSurrogate(code)).join('')} ${characters.filter((_, code) => isSurrogate(code)).join(' ')}`;

const ranges = (members: string) =>
  [...members.matchAll(/\\x\{(\w+)\}-\\x\{(\w+)\}/g)].map(
    ([, first, last]) => [Number(`0x${first}`), Number(`0x${last}`)] as const,
  );

/** The language's own operators find a character in which the ranges and the property differ. */
const differs = (property: string) => {
  const found = membersOf(property)?.replaceAll('\\x', '\\u');
  return [`[${property}--[${found}]]`, `[[${found}]--${property}]`].some((pattern) =>
    new RegExp(pattern, 'v').test(everything),
  );
};

const edgesThatDiffer = (property: string) => {
  const { pattern } = buildPattern(`^${property}$`);
  const native = new RegExp(`^${property}$`, 'u');
  return ranges(membersOf(property) ?? '')
    .flatMap(([first, last]) => [first - 1, first, last, last + 1])
    .filter((code) => code >= 0 && code < 0x110000)
    .map((code) => String.fromCodePoint(code))
    .filter((character) => pattern.test(character) !== native.test(character));
};

const names = [
  ...categories.flatMap((name) => [name, `gc=${name}`]),
  ...binary,
  ...scripts.flatMap((name) => [`sc=${name}`, `scx=${name}`]),
  ...[
    'General_Category=Lu',
    'Script=Greek',
    'Script=Grek',
    'Script_Extensions=Greek',
    'sc=Old_Italic',
    'scx=Qaai',
  ],
];

it('knows each property of the language', () => {
  expect(names.filter((name) => !isKnown(name))).toEqual([]);
  expect(scripts.length).toBeGreaterThan(170);
});

const properties = names.flatMap((name) => [`\\p{${name}}`, `\\P{${name}}`]);

it('finds of all code points those with the property, as the language does', () => {
  const each = [...names.map((name) => `\\p{${name}}`), ...categories.map((name) => `\\P{${name}}`)];
  expect(each.filter((property) => differs(property))).toEqual([]);
}, 900_000);

it('matches the first and the last of each range, and not those beside them', () => {
  expect(properties.flatMap(edgesThatDiffer)).toEqual([]);
});

it.each(
  [
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '.',
    '[^\\s]',
    '[\\d\\s]',
    '\\p{L}',
    '[^\\p{L}\\d]',
    '[\\P{L}é]',
    '\\p{scx=Deva}',
    '\\p{Lu}',
    '\\P{Lu}',
    '[^\\p{Ll}]',
    'ſ',
    '[^k]',
  ].flatMap((source) => [
    [source, 'u'],
    [source, 'iu'],
  ]),
)('%s matches of all code points the same as in the language with flags %s', (source, flags) => {
  const { pattern } = buildPattern(flags === 'iu' ? `^(?i:${source})$` : `^${source}$`);
  const native = new RegExp(`^${source}$`, flags);
  expect(characters.filter((character) => pattern.test(character) !== native.test(character))).toEqual([]);
});
