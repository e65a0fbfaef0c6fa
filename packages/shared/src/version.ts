import manifest from '../../../package.json' with { type: 'json' };

/** The version of Sluice, such as `1.2.0`. */
export const version = () => manifest.version;
