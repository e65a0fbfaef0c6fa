import Type, { type TProperties } from 'typebox';

const strict = { additionalProperties: false };

/** An object of an answer. Generated clients name its type `title`. */
export const Named = <Properties extends TProperties>(title: string, properties: Properties) =>
  Type.Object(properties, { title });

/** An object of a request, which may have no other members. */
export const Strict = <Properties extends TProperties>(title: string, properties: Properties) =>
  Type.Object(properties, { ...strict, title });

/** The parameters of a query. All of them are optional. */
export const Query = <Properties extends TProperties>(properties: Properties) =>
  Type.Partial(Type.Object(properties), strict);

/** A parameter of a query that is false by default. */
export const Flag = (description: string) => Type.Boolean({ default: false, description });
