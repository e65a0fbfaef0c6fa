import type { Ajv, CodeKeywordDefinition, KeywordCxt } from 'ajv';

/** Changes the code of a keyword, but not its place in the order of keywords. */
export function replaceKeyword(
  ajv: Ajv,
  keyword: string,
  code: (cxt: KeywordCxt, original: () => void) => void,
  changed: Partial<CodeKeywordDefinition> = {},
): void {
  const rule = ajv.RULES.all[keyword];
  if (typeof rule !== 'object') return;
  const original = rule.definition as CodeKeywordDefinition;
  const replaced: CodeKeywordDefinition = {
    ...original,
    ...changed,
    code: (cxt, type) => code(cxt, () => original.code(cxt, type)),
  };
  rule.definition = replaced as typeof rule.definition;
}
