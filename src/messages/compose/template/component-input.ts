import type { TemplateComponent, TemplateParameter } from '../../../carriers/content.js';

/** Simple fields of a parameter that Meta's Cloud API knows. */
const PARAMETER_FIELDS = ['text', 'parameter_name', 'payload', 'coupon_code'] as const;

/** Object fields of a parameter, with the fields of each (Meta Cloud API, "Template messages"). */
const OBJECT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  currency: ['fallback_value', 'code', 'amount_1000'],
  date_time: ['fallback_value'],
  image: ['id', 'link'],
  video: ['id', 'link'],
  document: ['id', 'link', 'filename'],
  location: ['latitude', 'longitude', 'name', 'address'],
};

/** Components as a request holds them; fields that are not named here are not read. */
export interface ComponentInput {
  type: string;
  sub_type?: string;
  index?: string | number;
  parameters?: ({ type: string } & Record<string, unknown>)[];
}

/** Copies the fields that a carrier knows, and nothing else, so that no unknown field is stored. */
export function pickComponents(components: readonly ComponentInput[]): TemplateComponent[] {
  return components.map((component) => {
    const picked: TemplateComponent = { type: component.type };
    if (component.sub_type !== undefined) picked.sub_type = component.sub_type;
    if (component.index !== undefined) picked.index = component.index;
    if (component.parameters) picked.parameters = component.parameters.map(pickParameter);
    return picked;
  });
}

function pickParameter(parameter: { type: string } & Record<string, unknown>): TemplateParameter {
  const picked: TemplateParameter = { type: parameter.type, ...pickScalars(parameter, PARAMETER_FIELDS) };
  for (const [field, names] of Object.entries(OBJECT_FIELDS)) {
    const value = parameter[field];
    if (typeof value === 'object' && value !== null) picked[field] = pickScalars(value, names);
  }
  return picked;
}

function pickScalars(source: object, names: readonly string[]): Record<string, string | number> {
  const picked: Record<string, string | number> = {};
  for (const name of names) {
    const value: unknown = Object.hasOwn(source, name) ? source[name as keyof object] : undefined;
    if (typeof value === 'string' || typeof value === 'number') picked[name] = value;
  }
  return picked;
}
