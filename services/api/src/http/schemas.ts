import Type, { type TObjectOptions, type TProperties } from 'typebox';

type Title = string | (TObjectOptions & { title: string });

const titled = (title: Title) => (typeof title === 'string' ? { title } : title);

/** An object of an answer. Generated clients name its type `title`. */
export const Named = <Properties extends TProperties>(title: Title, properties: Properties) =>
  Type.Object(properties, titled(title));

/** An object of a request, which may have no other members. */
export const Strict = <Properties extends TProperties>(title: Title, properties: Properties) =>
  Type.Object(properties, { additionalProperties: false, ...titled(title) });

/** The parameters of a query. All of them are optional. */
export const Query = <Properties extends TProperties>(properties: Properties) =>
  Type.Partial(Type.Object(properties), { additionalProperties: false });

/** A parameter of a query that is false by default. */
export const Flag = (description: string) => Type.Boolean({ default: false, description });

const about = (description: string, example?: unknown) => ({
  description,
  ...(example !== undefined && { examples: [example] }),
});

export const Text = (description: string, example?: string) => Type.String(about(description, example));
export const Int = (description: string, example?: number) => Type.Integer(about(description, example));
export const Bool = (description: string, example?: boolean) => Type.Boolean(about(description, example));
export const DateTime = (description?: string) =>
  Type.String({ format: 'date-time', ...(description && { description }) });
