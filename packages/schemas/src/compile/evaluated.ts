import { _, type Ajv, type CodeKeywordDefinition, type KeywordCxt, Name, str } from 'ajv';
import { tracked } from '../check/link.ts';
import { contains } from './count-matches.ts';
import { replaceKeyword } from './replace-keyword.ts';

/** Ajv's number for elements of an array. */
const byNumber = 0;

/**
 * Tracks evaluated parts in two variables of each schema. `items` is the number of evaluated first items, or true.
 * `props` has the evaluated properties and single items.
 *
 * Ajv's own tracking is wrong if it is static in one branch and dynamic in another.
 */
export function trackEvaluated(ajv: Ajv): void {
  ajv.addKeyword({
    keyword: tracked,
    schemaType: 'boolean',
    before: '$ref',
    code({ gen, it }) {
      it.props = gen.var('props', _`Object.create(null)`);
      it.items = gen.var('items', 0);
    },
  } as CodeKeywordDefinition);
  for (const keyword of ['items', 'additionalItems', 'additionalProperties', 'unevaluatedProperties'])
    change(keyword, keepDynamic);
  change('patternProperties', ownProps);
  change('if', (cxt) => evaluateIf(cxt));
  if (ajv.getKeyword('prefixItems'))
    change('contains', (cxt) => contains(cxt, (i) => cxt.gen.assign(_`${cxt.it.props as Name}[${i}]`, true)));
  change('unevaluatedItems', (cxt) => evaluateItems(cxt), unevaluatedItem);

  /** Changes the code only within tracked schemas. A meta-schema has no tracking. */
  function change(
    keyword: string,
    code: (cxt: KeywordCxt, original: () => void) => void,
    error?: CodeKeywordDefinition['error'],
  ): void {
    const changed = { trackErrors: true, ...(error && { error }) };
    replaceKeyword(
      ajv,
      keyword,
      (cxt, original) => (cxt.it.props instanceof Name ? code(cxt, original) : original()),
      changed,
    );
  }
}

/** If Ajv marks all parts as evaluated for good, sets the variable instead, so that it holds only in this branch. */
function keepDynamic({ gen, it }: KeywordCxt, original: () => void): void {
  const { items, props } = it;
  original();
  if (it.items === true && items instanceof Name) {
    gen.assign(items, true);
    it.items = items;
  }
  if (it.props === true && props instanceof Name) {
    gen.assign(props, true);
    it.props = props;
  }
}

/** The keyword adds names, but the variable may already be `true`. */
function ownProps({ gen, it }: KeywordCxt, original: () => void): void {
  const props = it.props as Name;
  const own = gen.var('props', _`Object.create(null)`);
  it.props = own;
  original();
  it.props = props;
  gen.if(_`${props} !== true`, () => gen.code(_`Object.assign(${props}, ${own})`));
}

function evaluateIf(cxt: KeywordCxt): void {
  const { gen, parentSchema } = cxt;
  const valid = gen.let('valid', true);
  const passes = gen.name('_valid');
  const ifClause = gen.let('ifClause');
  const condition = { keyword: 'if', compositeRule: true, createErrors: false, allErrors: false } as const;
  const evaluated = cxt.subschema(condition, passes);
  cxt.reset();
  cxt.setParams({ ifClause });
  gen.if(
    passes,
    () => {
      cxt.mergeEvaluated(evaluated, Name);
      if (parentSchema.then !== undefined) apply('then');
    },
    () => {
      if (parentSchema.else !== undefined) apply('else');
    },
  );
  cxt.pass(valid, () => cxt.error(true));

  function apply(keyword: 'then' | 'else'): void {
    const clause = cxt.subschema({ keyword }, passes);
    gen.assign(valid, passes);
    cxt.mergeValidEvaluated(clause, valid);
    gen.assign(ifClause, _`${keyword}`);
  }
}

const unevaluatedItem: CodeKeywordDefinition['error'] = {
  message: ({ params: { i } }) => str`must not have the item ${i}`,
  params: ({ params: { i } }) => _`{item: ${i}}`,
};

function evaluateItems(cxt: KeywordCxt): void {
  const { gen, data, schema, it, errsCount } = cxt;
  const [items, props] = [it.items as Name, it.props as Name];
  gen.if(_`${items} !== true`, () =>
    gen.forRange('i', items, _`${data}.length`, (i) => gen.if(_`!${props}[${i}]`, () => evaluate(i))),
  );
  cxt.ok(_`${errsCount as Name} === errors`);
  gen.assign(items, true);

  function evaluate(i: Name): void {
    if (schema === false) {
      cxt.error(false, { i });
      if (!it.allErrors) gen.break();
      return;
    }
    const valid = gen.name('valid');
    cxt.subschema({ keyword: 'unevaluatedItems', dataProp: i, dataPropType: byNumber }, valid);
    if (!it.allErrors) gen.if(_`!${valid}`, () => gen.break());
  }
}
