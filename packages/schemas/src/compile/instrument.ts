import { toNumber } from '@sluice/json/numbers.ts';
import type { AnyNode, BinaryExpression, CallExpression, MemberExpression, Node } from 'acorn';
import { parse } from 'acorn';

/** Characters of generated code that make one step. */
const charactersAStep = 40;

/** The modules that generated code may require, and the parts of the runtime that replace them. */
const provisions: Record<string, string> = {
  'ajv/dist/runtime/equal': '$.equal',
  'ajv/dist/runtime/ucs2length': '$.ucs2length',
};

type Edit = { at: number; to: number; text: string };

/**
 * Makes generated code spend steps: each block for its own statements, and calls whose cost grows with the data.
 * Edits follow the syntax tree, so text from the schema stays unchanged.
 */
export function instrument(code: string, { maxErrors }: { maxErrors?: number } = {}): string {
  const edits: Edit[] = [];
  visit(parse(code, { ecmaVersion: 2022, sourceType: 'script' }), '');
  return apply(code, edits);

  /** Returns the characters in blocks below this node. */
  function visit(node: Node, parent: string): number {
    let inBlocks = 0;
    eachChild(node, (child) => {
      inBlocks += visit(child, node.type);
    });
    rewrite(node as AnyNode);
    if (node.type !== 'BlockStatement') return inBlocks;
    const length = node.end - node.start;
    const steps = Math.ceil((length - inBlocks) / charactersAStep);
    const stop = parent === 'ForStatement' && maxErrors ? `if(errors>=${maxErrors})break;` : '';
    edits.push({ at: node.start + 1, to: node.start + 1, text: `$spend(${steps});${stop}` });
    return length;
  }

  function rewrite(node: AnyNode): void {
    // A promise counts as true, and its rejection would end the process.
    if ('async' in node && node.async) throw new Error('generated code is asynchronous');
    if (node.type === 'CallExpression') rewriteCall(node);
    if (node.type === 'MemberExpression' && node.object.type === 'CallExpression') rewriteRequire(node);
    if (node.type === 'BinaryExpression') rewriteTypeCheck(node);
    // A literal has no sign, and -2^63 fits into 64 bits while 2^63 does not.
    if (node.type === 'Literal' && typeof toNumber(`-${node.raw}`) === 'bigint')
      edits.push({ at: node.end, to: node.end, text: 'n' });
    // `in` lists all keys before the first iteration; `keys` spends steps for that.
    if (node.type === 'ForInStatement') {
      edits.push({ at: node.left.end, to: node.right.start, text: ' of $.keys(' });
      edits.push({ at: node.right.end, to: node.right.end, text: ')' });
    }
    // This object has items as keys, and `__proto__` is a legal item.
    if (
      node.type === 'VariableDeclarator' &&
      node.id.type === 'Identifier' &&
      /^indices\d*$/.test(node.id.name)
    )
      edits.push({ at: node.init?.start ?? 0, to: node.init?.end ?? 0, text: 'Object.create(null)' });
  }

  /** Rewrites `typeof x == "number"` and `x % 1`, as a number of a payload may be a BigInt. */
  function rewriteTypeCheck({ left, operator, right, start, end }: BinaryExpression): void {
    if (right.type !== 'Literal') return;
    const [whole, data] = [code.slice(start, end), code.slice(left.start, left.end)];
    if (operator.startsWith('==') && data.startsWith('typeof ') && right.value === 'number')
      edits.push({ at: start, to: end, text: `(${whole}||${data}=="bigint")` });
    if (operator === '%' && right.value === 1)
      edits.push({ at: start, to: end, text: `(typeof ${data}=="number"&&${whole})` });
  }

  /** `require("ajv/dist/runtime/equal").default` */
  function rewriteRequire({ object, start, end }: MemberExpression): void {
    if (object.type !== 'CallExpression') return;
    const { callee, arguments: args } = object;
    if (callee.type !== 'Identifier' || callee.name !== 'require' || args[0]?.type !== 'Literal') return;
    const provided = provisions[String(args[0].value)];
    if (!provided) throw new Error(`generated code asks for ${args[0].value}`);
    edits.push({ at: start, to: end, text: provided });
  }

  function rewriteCall({ callee, start, end, arguments: args }: CallExpression): void {
    // JSON has no such numbers, and both functions throw for a BigInt.
    if (callee.type === 'Identifier' && callee.name === 'isNaN')
      edits.push({ at: start, to: end, text: 'false' });
    if (callee.type === 'Identifier' && callee.name === 'isFinite')
      edits.push({ at: start, to: end, text: 'true' });
    if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
    const { object, property } = callee;
    if (
      object.type === 'Identifier' &&
      object.name === 'Object' &&
      ['keys', 'assign'].includes(property.name)
    )
      edits.push({ at: object.start, to: object.end, text: '$' });
    if (property.name === 'concat') {
      edits.push({ at: start, to: start, text: '$.concat(' });
      edits.push({ at: object.end, to: args[0]?.start ?? end, text: ',' });
    }
    const inner = object.type === 'CallExpression' ? object.callee : undefined;
    if (property.name === 'replace' && inner?.type === 'MemberExpression') {
      edits.push({ at: start, to: start, text: '$.escape(' });
      edits.push({ at: inner.object.end, to: end, text: ')' });
    }
  }
}

function eachChild(node: Node, visitChild: (child: Node) => void): void {
  for (const key in node) {
    const value: unknown = node[key as keyof Node];
    if (Array.isArray(value)) for (const item of value) if (isNode(item)) visitChild(item);
    if (isNode(value)) visitChild(value);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function apply(code: string, edits: Edit[]): string {
  // At the same place, insertions come before replacements.
  const sorted = edits
    .map((edit, i) => ({ ...edit, i }))
    .sort((a, b) => a.at - b.at || a.to - b.to || a.i - b.i);
  let out = '';
  let done = 0;
  for (const { at, to, text } of sorted) {
    out += code.slice(done, at) + text;
    done = to;
  }
  return out + code.slice(done);
}
