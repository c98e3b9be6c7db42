// Form fields for the properties of a JSON Schema. Lists, nested objects and untyped values are entered as JSON.
import { html, nothing } from 'lit';

/** Returns the properties, each with its kind of field; null if the schema is not a plain object. */
export function propertiesOf(schema) {
  const root = resolve(schema, schema);
  if (typeof root !== 'object' || root === null || !root.properties || root.anyOf || root.oneOf || root.allOf) {
    return null;
  }
  const required = new Set(root.required ?? []);
  return Object.entries(root.properties).map(([name, property]) =>
    ({ name, required: required.has(name), property: resolve(property, schema), kind: kind(resolve(property, schema)) }));
}

function resolve(schema, whole) {
  let found = schema;
  for (let depth = 0; found?.$ref?.startsWith('#/') && depth < 8; depth++) {
    found = found.$ref.slice(2).split('/').reduce((node, part) => node?.[part.replaceAll('~1', '/').replaceAll('~0', '~')], whole);
  }
  return found ?? {};
}

function kind(schema) {
  const types = [schema.type].flat().filter((one) => one && one !== 'null');
  if (schema.enum) return 'choice';
  if (types.length !== 1) return 'json';
  const [type] = types;
  if (type === 'boolean') return 'flag';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string') return schema.writeOnly ? 'secret' : schema.format === 'date-time' ? 'time' : 'text';
  return 'json';
}

/** Returns one field. `problem` is the error message for its value. */
export function field({ name, required, property, kind: shape }, problem) {
  const id = `param-${name}`;
  const initial = property.default === undefined ? '' : typeof property.default === 'string' ? property.default : JSON.stringify(property.default);
  const described = problem ? `${id}-problem` : nothing;
  const invalid = problem ? 'true' : nothing;
  const inputs = {
    choice: () => html`<select id=${id} name=${name} aria-describedby=${described}>
      ${required ? nothing : html`<option value=""></option>`}
      ${property.enum.map((one) => html`<option value=${JSON.stringify(one)} ?selected=${one === property.default}>${String(one)}</option>`)}</select>`,
    flag: () => html`<select id=${id} name=${name} aria-describedby=${described}>${(required ? ['false', 'true'] : ['', 'false', 'true']).map((one) =>
      html`<option value=${one} ?selected=${one === initial}>${one}</option>`)}</select>`,
    number: () => html`<input id=${id} name=${name} type="text" inputmode="decimal" .value=${initial} ?required=${required}
      aria-describedby=${described} aria-invalid=${invalid} autocomplete="off" placeholder=${range(property) || nothing}>`,
    secret: () => html`<input id=${id} name=${name} type="password" autocomplete="new-password" ?required=${required}
      aria-describedby=${described} aria-invalid=${invalid}>`,
    time: () => html`<input id=${id} name=${name} type="datetime-local" step="1" ?required=${required} aria-describedby=${described}>`,
    text: () => html`<input id=${id} name=${name} type="text" .value=${initial} aria-describedby=${described} aria-invalid=${invalid}
      autocomplete="off" spellcheck="false" placeholder=${property.format ?? nothing}>`,
    json: () => html`<textarea id=${id} name=${name} rows="3" class="mono" spellcheck="false" .value=${initial} ?required=${required}
      aria-describedby=${described} aria-invalid=${invalid} placeholder=${property.type === 'array' ? '[]' : '{}'}></textarea>`,
  };
  return html`<div class="field"><label for=${id}>${property.title ?? name} <span class="faint small">${hint(property, shape, required)}</span></label>
    ${inputs[shape]()}
    ${property.description ? html`<span class="faint small">${property.description}</span>` : nothing}
    ${problem ? html`<span class="bad small" id="${id}-problem" role="alert">${problem}</span>` : nothing}</div>`;
}

function hint(property, shape, required) {
  const type = shape === 'json' ? [property.type ?? 'JSON'].flat().join(' or ') : [property.type ?? 'one of'].flat().filter((one) => one !== 'null').join(' or ');
  return `${type}${required ? '' : ', optional'}`;
}

/** Returns the allowed range of a number; empty if only its type limits it. */
function range(property) {
  const [minimum, maximum] = [property.minimum, property.maximum].map((end) => (Math.abs(end) < 2_147_483_647 ? end : undefined));
  return minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : minimum !== undefined ? `${minimum} or more`
    : maximum !== undefined ? `${maximum} or less` : '';
}

/** Returns the values of the fields as JSON text. Numbers stay as typed; empty optional fields are omitted. */
export function paramsText(fields, values) {
  const parts = [];
  for (const { name, required, kind: shape } of fields) {
    const value = values[name] ?? '';
    if (value === '' && (!required || shape !== 'text')) {
      continue;
    }
    parts.push(`${JSON.stringify(name)}:${text(shape, value, name)}`);
  }
  return `{${parts.join(',')}}`;
}

function text(shape, value, name) {
  if (shape === 'text' || shape === 'secret') {
    return JSON.stringify(value);
  }
  if (shape === 'time') {
    return JSON.stringify(new Date(value).toISOString());
  }
  try {
    JSON.parse(value);
  } catch {
    const expected = shape === 'number' ? 'number' : 'valid JSON';
    throw Object.assign(new SyntaxError(`${name}: not ${expected}`), { errors: [{ field: `params.${name}`, value, expected }] });
  }
  return value;
}
