import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { ensureSyntaxTree, type syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';

/** Longest parse of the text: nobody waits longer for a completion. */
const parseMs = 1_000;

type SyntaxNode = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>;

const keywords = (
  '$schema $id $ref $defs $anchor $comment title description default examples deprecated readOnly writeOnly ' +
  'type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern format ' +
  'items prefixItems contains minContains maxContains unevaluatedItems maxItems minItems uniqueItems ' +
  'required properties patternProperties additionalProperties unevaluatedProperties propertyNames ' +
  'maxProperties minProperties dependentRequired dependentSchemas if then else allOf anyOf oneOf not'
).split(' ');

/** Only those that the API checks. */
export const formats = (
  'date-time date time duration email hostname ipv4 ipv6 uri uri-reference uri-template json-pointer ' +
  'relative-json-pointer regex uuid'
).split(' ');

const values: Record<string, string[]> = {
  type: ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'],
  format: formats,
};

/** Members of these have names that the owner chose. */
const ownNames = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);

/** The name of the property whose value is the node, or an array with the node; else empty. */
function nameOf(node: SyntaxNode | null, state: EditorState): string {
  const around = node?.name === 'Array' ? node.parent : node;
  const name = around?.name === 'Property' ? around.getChild('PropertyName') : null;
  return name ? state.sliceDoc(name.from + 1, name.to - 1) : '';
}

/** Completions at a node: keywords as names, types and formats as values. */
function optionsAt(node: SyntaxNode, state: EditorState): string[] {
  if (node.name === 'PropertyName') {
    const object = node.parent?.parent;
    return ownNames.has(nameOf(object?.parent ?? null, state)) ? [] : keywords;
  }
  return node.name === 'String' ? (values[nameOf(node.parent, state)] ?? []) : [];
}

/** Completes inside double quotes. */
export function completeKeyword(context: CompletionContext): CompletionResult | null {
  const typed = context.matchBefore(/"[$\w-]*/);
  if (!typed) return null;
  const { state, pos } = context;
  const tree = ensureSyntaxTree(state, pos, parseMs);
  const options = tree ? optionsAt(tree.resolveInner(pos, -1), state) : [];
  return options.length === 0
    ? null
    : { from: typed.from + 1, options: options.map((label) => ({ label })), validFor: /^[$\w-]*$/ };
}
