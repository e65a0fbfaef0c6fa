import { Argument, type Command } from 'commander';
import { type Act, type Context, domainsOf, openContext } from '../context.ts';
import { type Ask, complete } from '../output/complete.ts';
import { harmless, type Terminal } from '../terminal.ts';
import { questionNames } from './queries.ts';

/** Each asks `sluice __complete`, which answers with lines of a name, a tab and a description. Without an answer, files are completed. */
const shells = {
  bash: `_sluice() {
  local IFS=$'\\n'
  COMPREPLY=($(sluice __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _sluice sluice`,

  zsh: `#compdef sluice
_sluice() {
  local -a found
  found=("\${(@f)$(sluice __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=("\${(@)found//$'\\t'/:}")
  if [[ -n $found ]]; then _describe sluice found; else _files; fi
}
compdef _sluice sluice`,

  fish: `function __sluice_complete
  set -l words (commandline -opc)
  set -l word (commandline -ct)
  set -l found (sluice __complete -- $words[2..] "$word" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$word"
  end
end
complete -c sluice -f -a '(__sluice_complete)'`,
};

/** Somebody waits at the keyboard. */
const askMs = 3_000;

const asked: Record<string, (context: Context) => Promise<string[]>> = {
  domain: ({ api }) => domainsOf(api),
  async 'deleted-domain'({ api }) {
    const query = { deleted: true };
    const { data } = await api.ask<{ domain: string }[]>('GET', '/applications', { query });
    return data.map(({ domain }) => domain);
  },
  question: questionNames,
  async language({ api, path }) {
    const { data } = await api.ask<{ language: string }[]>('GET', path('/clients'));
    return data.map(({ language }) => language);
  },
};

/** `sluice completion`. */
export function addCompletion(program: Command, act: Act, terminal: Terminal): void {
  const ask: Ask = async (placeholder, given) => {
    const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(askMs)]);
    try {
      return (await asked[placeholder]?.(await openContext({ ...terminal, signal }, given))) ?? [];
    } catch {
      // Without a login or a server there are no names.
      return [];
    }
  };

  program
    .command('completion')
    .description('Print a completion script for a shell.')
    .addArgument(new Argument('<shell>').choices(Object.keys(shells)))
    .addHelpText(
      'after',
      `
Examples:
  sluice completion bash >> ~/.bashrc
  sluice completion zsh > ~/.zfunc/_sluice
  sluice completion fish > ~/.config/fish/completions/sluice.fish`,
    )
    .action(act(({ print }, _options, shell) => print(shells[shell as keyof typeof shells])));

  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[]) => {
      for (const { name, description = '' } of await complete(program, words, ask))
        await terminal.print(`${harmless(name)}\t${description}`);
    });
}
