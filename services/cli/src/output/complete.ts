import type { Argument, Command, Option } from 'commander';
import type { GlobalOptions } from '../settings/settings.ts';
import { NamesOption } from './names-option.ts';

export interface Candidate {
  name: string;
  description?: string;
}

/** Names that only the server knows, by the placeholder of an option or an argument, such as `domain`. */
export type Ask = (placeholder: string, given: GlobalOptions) => Promise<string[]>;

/** What the words before the cursor say. */
interface Place {
  command: Command;
  /** How many arguments its command has got. */
  count: number;
  /** The option whose value comes next. */
  option: Option | undefined;
  given: GlobalOptions;
}

function find(program: Command, words: string[]): Place {
  const place: Place = { command: program, count: 0, option: undefined, given: {} };
  for (const word of words) {
    const { command, option } = place;
    const next = place.count === 0 ? subcommands(command).find((each) => each.name() === word) : undefined;
    if (option) {
      Object.assign(place.given, { [option.attributeName()]: word });
      place.option = undefined;
    } else if (word.startsWith('-'))
      place.option = optionsOf(command).find(
        ({ short, long, required }) => (word === long || word === short) && required,
      );
    else if (next) place.command = next;
    else place.count += 1;
  }
  return place;
}

const isHidden = (command: Command) => command.name().startsWith('__');
const subcommands = ({ commands }: Command) => commands.filter((command) => !isHidden(command));

/** Those of a command, and those of all commands. */
const optionsOf = (command: Command): readonly Option[] =>
  command.parent ? [...command.options, ...optionsOf(command.parent)] : command.options;

const toCandidate = (name: string): Candidate => ({ name });

/** What may take the place of the last word. Nothing: perhaps a file. */
export async function complete(program: Command, given: string[], ask: Ask): Promise<Candidate[]> {
  // The words behind `help` are those of a command.
  const words = given[0] === 'help' ? given.slice(1) : given;
  const [before, word] = [words.slice(0, -1), words.at(-1) ?? ''];
  const place = find(program, before);
  const all = await candidates(place, word, ask);
  return all.filter(({ name }) => name.startsWith(word));
}

async function candidates(place: Place, word: string, ask: Ask): Promise<Candidate[]> {
  const { command, count, option, given } = place;
  if (option instanceof NamesOption) {
    const chosen = word.split(',').slice(0, -1);
    const left = option.names.filter((name) => !chosen.includes(name));
    return left.map((name) => toCandidate([...chosen, name].join(',')));
  }
  if (option) {
    const asked = option.argChoices ?? (await ask(placeholderOf(option), given));
    return asked.map(toCandidate);
  }
  if (word.startsWith('-'))
    return optionsOf(command).map(({ long, description }) => ({ name: long ?? '', description }));
  const argument: Argument | undefined = command.registeredArguments[count];
  const values = argument && (argument.argChoices ?? (await ask(argument.name(), given)));
  return [...(count === 0 ? described(subcommands(command)) : []), ...(values ?? []).map(toCandidate)];
}

const described = (commands: readonly Command[]): Candidate[] =>
  commands.map((command) => ({ name: command.name(), description: command.description() }));

const placeholderOf = ({ flags }: Option) => /<([\w-]+)>/.exec(flags)?.[1] ?? '';
