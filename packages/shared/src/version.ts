import manifest from '../../../package.json' with { type: 'json' };

/** Such as `1.2.0`. */
export const version = () => manifest.version;
