import { ApiError } from '@sluice/shared/errors.ts';

/** The 404 for what has no such id or name. */
export const notFound = (what: string, id: string) =>
  new ApiError('ResourceNotFoundError', `${what} ${id.slice(0, 40)} was not found`);

/** The 403 for what a user or a key may not do. */
export const forbidden = (message: string) => new ApiError('ForbiddenRequestError', message);

/** The 400 for a place in the body. */
export const invalidAt = (path: string, keyword: string, message: string) =>
  new ApiError('InvalidRequestError', `body${path} ${message}`, {
    details: [{ in: 'body', path, keyword, message }],
  });

/** The 400 for a parameter of the query. `message` follows its name. */
export const invalidParameter = (name: string, keyword: string, message: string) =>
  new ApiError('InvalidRequestError', `\`${name}\` ${message}`, {
    details: [{ in: 'querystring', path: `/${name}`, keyword, message }],
  });
