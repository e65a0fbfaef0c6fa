import type { Command } from 'commander';

/** What may follow the words of a command. */
interface Choice {
  /** The words before, such as `apps`. */
  words: string;
  next: { name: string; description: string }[];
}

/** The choices after each command. */
function choicesOf(command: Command, words: string[] = []): Choice[] {
  const global = words.length === 0 ? [] : globalsOf(command);
  const next = [
    ...command.commands.map((each) => ({ name: each.name(), description: each.description() })),
    ...[...command.options, ...global].map(({ long, description }) => ({ name: long ?? '', description })),
  ];
  return [
    { words: words.join(' '), next },
    ...command.commands.flatMap((each) => choicesOf(each, [...words, each.name()])),
  ];
}

function globalsOf(command: Command): Command['options'] {
  const root = command.parent ?? command;
  return root.parent ? globalsOf(root) : root.options;
}

/** As one word within single quotes. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const cases = (program: Command, line: (choice: Choice) => string): string =>
  choicesOf(program)
    .map((choice) => `    ${quote(choice.words)}) ${line(choice)} ;;`)
    .join('\n');

/** The commands among the words before the cursor. A file is completed where nothing else fits. */
const bash = (program: Command): string => `_sluice() {
  local words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) words="\${words:+$words }$word" ;; esac
  done
  local next=''
  while :; do
    case "$words" in
${cases(program, ({ next }) => `next=${quote(next.map(({ name }) => name).join(' '))}`)}
      *' '*) words="\${words% *}" ;;
      *) words='' ;;
    esac
    [ -n "$next" ] && break
  done
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _sluice sluice`;

const zsh = (program: Command): string => `#compdef sluice
_sluice() {
  local words_before='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in -*) ;; *) words_before="\${words_before:+$words_before }$word" ;; esac
  done
  local -a next
  while :; do
    case "$words_before" in
${cases(program, ({ next }) => `next=(${next.map(({ name, description }) => quote(`${name}:${description}`)).join(' ')})`)}
      *' '*) words_before="\${words_before% *}" ;;
      *) words_before='' ;;
    esac
    (( \${#next} )) && break
  done
  _describe sluice next || _files
}
compdef _sluice sluice`;

const fish = (program: Command): string =>
  choicesOf(program)
    .flatMap(({ words, next }) =>
      next.map(({ name, description }) => {
        const [first, second] = words.split(' ');
        const seen = [first, second].filter(Boolean).map((word) => `__fish_seen_subcommand_from ${word}`);
        const when = seen.length > 0 ? seen.join('; and ') : '__fish_use_subcommand';
        const what = name.startsWith('--') ? `-l ${name.slice(2)}` : `-a ${name}`;
        return `complete -c sluice -n ${quote(when)} ${what} -d ${quote(description)}`;
      }),
    )
    .join('\n');

export const shells = { bash, zsh, fish };
export type Shell = keyof typeof shells;
