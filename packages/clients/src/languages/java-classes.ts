import type { Choice, Field, RecordType } from '../schema/model.ts';
import { comment, literal } from '../texts.ts';
import { indented } from '../write/head.ts';
import type { Naming } from '../write/naming.ts';
import { createTypeOf } from '../write/type-of.ts';
import { constantsOf, hasName, times } from './java-names.ts';

const quote = literal.java;
const { typeOf } = createTypeOf({
  scalars: { string: 'String', integer: 'Long', number: 'Double', boolean: 'Boolean' },
  formats: times,
  any: 'Object',
  list: (of) => `List<${of}>`,
  map: (of) => `Map<String, ${of}>`,
});
const primitives: Record<string, string> = { Long: 'long', Double: 'double', Boolean: 'boolean' };

/** Each class keeps members that the schema does not declare, so that a later schema does no harm. */
export function classOf(record: RecordType, naming: Naming): string[] {
  const type = naming.type(record);
  const rest = naming.rest(record);
  const fields = record.fields.filter(hasName).map((field) => membersOf(field, naming));
  const names = fields.map(({ name }) => name);
  const keys = fields.map(({ key }) => key);
  return [
    ...doc(record.description),
    `@JsonDeserialize(builder = ${type}.Builder.class)`,
    '@JsonInclude(JsonInclude.Include.NON_NULL)',
    ...(keys.length > 0 ? ['@JsonPropertyOrder({', ...keys.map((key) => `    ${key},`), '})'] : []),
    `public static final class ${type} {`,
    ...indented([
      ...fields.map(({ type, name }) => `private final ${type} ${name};`),
      `private final Map<String, Object> ${rest};`,
      '',
      `private ${type}(Builder builder) {`,
      ...indented(names.map((name) => `${name} = builder.${name};`)),
      `    ${rest} = Collections.unmodifiableMap(new LinkedHashMap<>(builder.${rest}));`,
      '}',
      '',
      'public static Builder builder() {',
      '    return new Builder();',
      '}',
      '',
      ...fields.flatMap(({ accessor }) => accessor),
      '/** Members that the schema does not declare. */',
      '@JsonAnyGetter',
      '@JsonInclude(JsonInclude.Include.ALWAYS)',
      `public Map<String, Object> ${rest}() {`,
      `    return ${rest};`,
      '}',
      '',
      'private Object[] values() {',
      `    return new Object[] {${[...names, rest].join(', ')}};`,
      '}',
      '',
      '@Override',
      'public boolean equals(Object other) {',
      `    return other instanceof ${type} that && Arrays.deepEquals(values(), that.values());`,
      '}',
      '',
      '@Override',
      'public int hashCode() {',
      '    return Arrays.deepHashCode(values());',
      '}',
      '',
      '@Override',
      'public String toString() {',
      `    return "${type}" + Arrays.deepToString(values());`,
      '}',
      '',
      '@JsonPOJOBuilder(withPrefix = "")',
      'public static final class Builder {',
      ...indented([
        ...fields.map(({ boxed, name }) => `private ${boxed} ${name};`),
        `private final Map<String, Object> ${rest} = new LinkedHashMap<>();`,
        '',
        'private Builder() {}',
        '',
        ...fields.flatMap(({ setter }) => setter),
        '/** A member that the schema does not declare. */',
        '@JsonAnySetter',
        'public Builder additionalProperty(String name, Object value) {',
        `    ${rest}.put(name, value);`,
        '    return this;',
        '}',
        '',
        '/** Fails if a member that is required was not given. */',
        `public ${type} build() {`,
        ...fields.flatMap(({ check }) => check),
        `    return new ${type}(this);`,
        '}',
      ]),
      '}',
    ]),
    '}',
    '',
  ];
}

/** The lines of a field in its class and in the builder. */
function membersOf(field: Field, naming: Naming) {
  const { value, isRequired, description } = field;
  const name = naming.field(field);
  const key = quote(field.key);
  const boxed = typeOf(value, naming);
  const plain = (!value.isNullable && primitives[boxed]) || boxed;
  const type = isRequired ? plain : boxed;
  return {
    key,
    name,
    boxed,
    type,
    accessor: [
      ...doc(description),
      `@JsonProperty(${key})`,
      ...(isRequired && value.isNullable ? ['@JsonInclude(JsonInclude.Include.ALWAYS)'] : []),
      `public ${type} ${name}() {`,
      `    return ${name};`,
      '}',
      '',
    ],
    setter: [
      ...doc(description),
      `@JsonProperty(${key})`,
      `public Builder ${name}(${plain} ${name}) {`,
      `    this.${name} = ${name};`,
      '    return this;',
      '}',
      '',
    ],
    check:
      isRequired && !value.isNullable
        ? [`    if (${name} == null) throw new IllegalStateException(${quote(`${field.key} is required`)});`]
        : [],
  };
}

/** What Javadoc would take for more than text. */
const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '@': '&#64;', '{': '&#123;' };

function doc(text: string | undefined): string[] {
  const line = comment(text ?? '').replace(/[&<>@{]/g, (mark) => marks[mark] as string);
  return line === '' ? [] : [`/** ${line} */`];
}

export function enumOf(choice: Choice, naming: Naming): string[] {
  const type = naming.type(choice);
  const names = constantsOf(choice);
  const constants = choice.values.map((value, at) => `    ${names[at]}(${quote(value)})`);
  return [
    `public enum ${type} {`,
    ...constants.map((line, at) => `${line}${at < constants.length - 1 ? ',' : ';'}`),
    '',
    '    private final String json;',
    '',
    `    ${type}(String json) {`,
    '        this.json = json;',
    '    }',
    '',
    '    @JsonValue',
    '    public String json() {',
    '        return json;',
    '    }',
    '}',
    '',
  ];
}
