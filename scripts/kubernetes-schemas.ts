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

/** A package of PyPI with the schemas of Kubernetes in it, and where those of a release are. */
const wheel = 'kubernetes-validate==1.37.0';
const folder = 'kubernetes_validate/kubernetes-json-schema/v1.34.0-local-strict';
/** Modules with the definitions of resources that the manifests use, and where these are. */
const modules = {
  'github.com/kedacore/keda/v2@v2.21.0':
    'config/crd/bases/keda.sh_{scaledobjects,triggerauthentications}.yaml',
  'github.com/prometheus-operator/prometheus-operator@v0.85.0':
    'example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml',
};
const readMember =
  'import sys, zipfile; sys.stdout.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]).decode())';

/** As kubeconform looks for it: `apps/v1`, `Deployment` → `deployment-apps-v1.json`. */
const fileName = (apiVersion: string, kind: string) =>
  `${[kind, ...apiVersion.replace(/\..*\//, '/').split('/')].join('-').toLowerCase()}.json`;

/** A field that the definition does not name is a mistake, as it is in the schemas of Kubernetes. */
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

/** Gives the JSON of a file of the package. */
function openWheel(dir: string): (file: string) => { $id?: string; $defs?: object } {
  execFileSync('python3', ['-m', 'pip', 'download', '-q', '--no-deps', '--dest', dir, wheel]);
  const [archive = ''] = globSync('*.whl', { cwd: dir });
  return (file) => {
    const args = ['-c', readMember, join(dir, archive), `${folder}/${file}`];
    return JSON.parse(execFileSync('python3', args, { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 }));
  };
}

/** Writes into the folder a schema for each of these resources, strict ones, and as kubeconform finds them. */
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
