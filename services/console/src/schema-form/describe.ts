import { words } from '../words/en.ts';
import { type FormShape, labelOf, shapeOf } from './shape.ts';

const itemsOf = ({ items }: FormShape, text: string) => items && shapeOf(items, text);

/** `array of string`, `number or null`. */
export function typeOf(shape: FormShape, text: string): string {
  const items = itemsOf(shape, text);
  const own = shape.types.join(' or ') || (shape.properties.length > 0 ? 'object' : words.form.anyType);
  const named = own === 'array' && items ? words.form.arrayOf(typeOf(items, text)) : own;
  return shape.isNullable ? words.create.orNull(named) : named;
}

const mostValues = 6;

/** What a field must be besides its type, as one reads it. */
export function rulesOf(shape: FormShape, text: string): string[] {
  const { limits, format, values, others } = shape;
  const labels = values.slice(0, mostValues).map((node) => labelOf(node, text, shape));
  const items = itemsOf(shape, text);
  const { range, characters, itemCount, oneOf, others: onlyJson } = words.form;
  const length = range(limits.minLength, limits.maxLength);
  const size = range(limits.minItems, limits.maxItems);
  return [
    format,
    range(limits.minimum, limits.maximum),
    length && characters(length),
    size && itemCount(size),
    shape.isClosed && words.form.closed,
    labels.length > 0 && oneOf(labels, values.length - labels.length),
    others.length > 0 && onlyJson(others),
    ...(items ? rulesOf(items, text) : []),
  ].filter((rule): rule is string => Boolean(rule));
}
