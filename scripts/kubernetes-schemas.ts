import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Schema {
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
}

interface CustomResource {
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
  };
}

export interface Resource {
  apiVersion: string;
  kind: string;
}

/** A package of PyPI that has the schemas of Kubernetes, and the folder of a release. */
const wheel = 'kubernetes-validate==1.37.0';
const folder = 'kubernetes_validate/kubernetes-json-schema/v1.34.0-local-strict';
/** Go modules with definitions of custom resources, and the folders of these definitions. */
const modules = {
  'github.com/kedacore/keda/v2@v2.21.0':
    'config/crd/bases/keda.sh_{scaledobjects,triggerauthentications}.yaml',
  'github.com/prometheus-operator/prometheus-operator@v0.85.0':
    'example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml',
};
const readMember =
  'import sys, zipfile; sys.stdout.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]).decode())';

/** The file name for kubeconform: `apps/v1`, `Deployment` → `deployment-apps-v1.json`. */
const fileName = (apiVersion: string, kind: string) =>
  `${[kind, ...apiVersion.replace(/\..*\//, '/').split('/')].join('-').toLowerCase()}.json`;

/** Refuses fields that the definition does not name, like the schemas of Kubernetes. */
function strict(schema: Schema): Schema {
  const { properties, additionalProperties, items } = schema;
  const isOpen = !properties || additionalProperties || schema['x-kubernetes-preserve-unknown-fields'];
  return {
    ...schema,
    ...(!isOpen && { additionalProperties: false }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, strict(each)])),
    }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: strict(additionalProperties) }),
    ...(items && { items: strict(items) }),
  };
}

/** Writes a schema for each custom resource. */
function writeCustomSchemas(dir: string): void {
  for (const [module, pattern] of Object.entries(modules)) {
    const download = execFileSync('go', ['mod', 'download', '-json', module], { cwd: dir, encoding: 'utf8' });
    const source = JSON.parse(download).Dir;
    for (const file of globSync(pattern, { cwd: source })) {
      const { spec }: CustomResource = parse(readFileSync(join(source, file), 'utf8'));
      for (const { name, schema } of spec.versions) {
        const path = join(dir, fileName(`${spec.group}/${name}`, spec.names.kind));
        writeFileSync(path, JSON.stringify(strict(schema.openAPIV3Schema)));
      }
    }
  }
}

/** Reads a JSON file of the package. */
function openWheel(dir: string): (file: string) => { $id?: string; $defs?: object } {
  execFileSync('python3', ['-m', 'pip', 'download', '-q', '--no-deps', '--dest', dir, wheel]);
  const [archive = ''] = globSync('*.whl', { cwd: dir });
  return (file) => {
    const args = ['-c', readMember, join(dir, archive), `${folder}/${file}`];
    return JSON.parse(execFileSync('python3', args, { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 }));
  };
}

/** Writes a strict schema for each resource into the folder, with kubeconform's file names. */
export function writeSchemas(dir: string, resources: Resource[]): void {
  writeCustomSchemas(dir);
  const readSchema = openWheel(dir);
  const { $defs } = readSchema('_definitions.json');
  for (const { apiVersion, kind } of resources) {
    const path = join(dir, fileName(apiVersion, kind));
    if (existsSync(path)) continue;
    const { $id: _id, ...schema } = readSchema(fileName(apiVersion, kind));
    writeFileSync(path, JSON.stringify({ ...schema, $defs }).replaceAll('"/api/_definitions.json#', '"#'));
  }
}
