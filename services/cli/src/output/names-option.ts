import { Option } from 'commander';

/** An option that takes several of these names, separated by commas. The server checks them. */
export class NamesOption extends Option {
  readonly names: readonly string[];

  constructor(flags: string, about: string, names: readonly string[]) {
    super(flags, `${about}; some of ${names.join(',')}`);
    this.names = names;
  }
}
