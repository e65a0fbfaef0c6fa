import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { Act, Context } from '../context.ts';
import { remove } from '../output/confirm.ts';

/** `sluice queries`. */
export function addQueries(program: Command, act: Act): void {
  const queries = program
    .command('queries')
    .description('Saved questions, which members share. `sluice query --named` asks one.');

  queries
    .command('list')
    .description('List the saved questions of an application, by name.')
    .addHelpText('after', '\nExample: sluice queries list')
    .action(act(({ list }) => list('/queries', 'name', 'sql', 'createdBy', 'createdAt')));

  queries
    .command('delete')
    .description('Delete a saved question.')
    .argument('<question>', 'its name')
    .option('--yes', 'do not ask')
    .addHelpText('after', "\nExample: sluice queries delete 'By place'")
    .action(
      act<{ yes?: boolean }>(async (context, { yes }, name) => {
        const { id } = await findQuestion(context, name);
        await remove(context, context.path(`/queries/${id}`), `Delete the question ${name}?`, yes);
      }),
    );
}

interface SavedQuestion {
  id: string;
  name: string;
  sql: string;
}

const questionsOf = ({ api, path, retry }: Context) =>
  retry(() => api.ask<SavedQuestion[]>('GET', path('/queries')));

export const questionNames = async (context: Context): Promise<string[]> =>
  (await questionsOf(context)).data.map(({ name }) => name);

/** Throws CliError. */
export async function findQuestion(context: Context, wanted: string): Promise<SavedQuestion> {
  const found = (await questionsOf(context)).data.find(({ name }) => name === wanted);
  if (!found) throw new CliError(`there is no saved question ${wanted}: \`sluice queries list\` lists them`);
  return found;
}

export async function saveQuestion({ api, path, say }: Context, name: string, sql: string): Promise<void> {
  await api.ask('POST', path('/queries'), { json: { name, sql } });
  say(`saved as ${name}`);
}
