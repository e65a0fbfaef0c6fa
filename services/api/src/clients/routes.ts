import { furtherLanguages } from '@sluice/clients/further-types.ts';
import { createClientMaker } from '@sluice/clients/maker.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import type { Routes } from '../dependencies.ts';
import { Success, success } from '../http/answers.ts';
import { etagOf, isKnown } from '../http/etags.ts';
import { findApplication } from '../http/find-application.ts';
import { ByDomain, bearerRoutes, operation, overLimit, ownFailures } from '../http/route-parts.ts';
import { Flag, Named, Query, Text } from '../http/schemas.ts';

const Client = Named('Client', {
  language: Text('Its name in `/clients/{language}`.', 'python'),
  name: Text('Its name as people write it.', 'Python'),
  file: Text('What to call the file.', 'uploader.py'),
  how: Text('How to install what the file needs.', 'save it beside your code'),
});

const ByLanguage = Type.Object({
  ...ByDomain.properties,
  language: Text('Language of the file.', 'python'),
});
const ClientQuery = Query({
  types_only: Flag('The types of the payload, without the uploader.'),
  package: Text('The package of a file in Java.', 'com.example.weather'),
  os: Type.Literal('windows', {
    description: 'For Windows, in Go. The other languages have one file for all.',
  }),
});
const further = Object.keys(furtherLanguages).map((language) => `\`${language}\``);

/** Source files that send entries of an application, made from its schema. What makes them is loaded when it is first needed. */
export const clientRoutes: Routes = async (app, { store, capacity }) => {
  const { applications } = store;
  const maker = createClientMaker({ capacity: capacity.schemas });
  app.addHook('onClose', maker.close);
  bearerRoutes(app, 'Clients');

  app.get(
    '/applications/:domain/clients',
    operation('listClients', 'List the languages of clients', {
      params: ByDomain,
      response: { 200: Success(Type.Array(Client)) },
    }),
    async (request, reply) => {
      await findApplication(applications, request);
      const { about, languages } = await import('@sluice/clients/client.ts');
      const clients = languages.map(about).map(({ types: _, ...client }) => client);
      return success(reply, clients);
    },
  );

  app.get(
    '/applications/:domain/clients/:language',
    operation('getClient', 'Get a client as source code', {
      description: `A file with the types of the payload and an uploader, made from the schema in force. Its first lines say how to use it. The same schema makes the same file. With \`types_only\`, the languages are also ${further.join(', ')}.`,
      params: ByLanguage,
      querystring: ClientQuery,
      response: {
        200: {
          description: 'The file.',
          headers: { ETag: Text('Changes with the file.') },
          content: { 'text/plain': { schema: Type.String() } },
        },
        304: { description: 'You have this file: `If-None-Match` names its `ETag`.', type: 'null' },
        ...ownFailures('InvalidSchemaError'),
        ...overLimit,
      },
    }),
    async (request, reply) => {
      const { language } = request.params;
      const { types_only: typesOnly = false, package: name, os } = request.query;
      const { domain, rawSchema, version } = await findApplication(applications, request);
      const { fileOf, optionProblem } = await import('@sluice/clients/make.ts');
      const file = fileOf(language, typesOnly, os);
      if (!file) {
        const unknown = language.slice(0, 40);
        throw new ApiError('ResourceNotFoundError', `there is no client in the language ${unknown}`);
      }
      const problem = optionProblem(language, { package: name, os });
      if (problem) throw new ApiError('InvalidRequestError', problem);
      const wanted = { language, typesOnly, domain, rawSchema, version, package: name, os };
      const made = await maker.make(request.owner.id, wanted);
      if ('problem' in made) throw new ApiError('InvalidSchemaError', made.problem);
      return sendFile(reply, file, made.text);
    },
  );
};

function sendFile(reply: FastifyReply, file: string, text: string) {
  const etag = etagOf(text);
  reply.headers({ etag, 'cache-control': 'private, no-cache' });
  if (isKnown(reply.request, etag)) return reply.code(304).send();
  reply.header('content-disposition', `attachment; filename="${file}"`);
  return reply.type('text/plain; charset=utf-8').send(text);
}
