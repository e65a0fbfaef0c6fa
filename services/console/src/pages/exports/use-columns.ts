import { columnsOf } from '@sluice/tables/columns.ts';
import { useQuery } from '@tanstack/react-query';
import { client, dataOf } from '../../api/client.ts';
import { jobsQuery } from '../../jobs/jobs.ts';
import { useApplication } from '../application/use-application.ts';

/** Columns that an export has for all that has none, or within the tables of a ZIP. */
const isOfFile = (name: string) => /^_extra_*$|^[\w.-]+\.csv:/.test(name);

/** Names of columns to choose from: those of the schema, and those that the latest export found in entries. */
export function useColumns(): string[] {
  const { domain, template } = useApplication();
  const { data: jobs } = useQuery(jobsQuery(domain, 'exports'));
  const id = jobs?.find(({ state }) => state === 'completed')?.id ?? '';
  const { data: latest } = useQuery({
    queryKey: ['jobs', domain, 'exports', id],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET('/api/applications/{domain}/exports/{id}', { params: { path: { domain, id } }, signal }),
      ),
    enabled: id !== '',
  });
  const declared = columnsOf(template.schema as Record<string, unknown>, []).map(({ name }) => name);
  const found = latest?.columns?.filter((name) => !isOfFile(name)) ?? [];
  return [...new Set([...declared, ...found])];
}
