import { Button, JsonInput, NumberInput, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import type { Parameter, Schema } from './operations.js';

/** A body with no more fields shows them all. */
const FEW = 5;

interface ParameterFieldsProps {
  parameters: readonly Parameter[];
  values: Record<string, string>;
  onChange(values: Record<string, string>): void;
}

/** The parameters of path, query and headers, each as a field. */
export function ParameterFields({ parameters, values, onChange }: ParameterFieldsProps) {
  return (
    <FoldedFields
      names={parameters.map(({ name }) => name)}
      isShown={(name) => parameters.some((each) => each.name === name && !isSeldom(each))}
    >
      {(name) => {
        const parameter = parameters.find((each) => each.name === name) as Parameter;
        return <ParameterField key={name} parameter={parameter} values={values} onChange={onChange} />;
      }}
    </FoldedFields>
  );
}

/** Whether a first call needs it not: a header, where the filters of a list are what it is about. */
export function isSeldom({ required, in: place }: Parameter): boolean {
  return !required && place !== 'query';
}

type ParameterFieldProps = Omit<ParameterFieldsProps, 'parameters'> & { parameter: Parameter };

function ParameterField({ parameter, values, onChange }: ParameterFieldProps) {
  const { name, required, description, schema } = parameter;
  return (
    <SchemaField
      name={name}
      schema={{ ...schema, description }}
      required={required ?? false}
      asText
      value={values[name]}
      onChange={(value) => onChange({ ...values, [name]: value === undefined ? '' : String(value) })}
    />
  );
}

interface BodyFieldsProps {
  schema: Schema;
  /** Parameters that are seldom needed: they stand at the end of the further fields. */
  seldom: ParameterFieldsProps;
  value: Record<string, unknown>;
  onChange(value: Record<string, unknown>): void;
}

/** The fields of a body; what holds lists or objects is written as JSON. */
export function BodyFields({ schema, seldom, value, onChange }: BodyFieldsProps) {
  const { properties = {}, required = [] } = schema;
  const set = (name: string, next: unknown) => {
    const { [name]: _last, ...others } = value;
    // In the order of the schema, so that what was cleared and filled again does not move to the end.
    const all: Record<string, unknown> = next === undefined ? others : { ...others, [name]: next };
    const order = Object.keys(properties);
    onChange(Object.fromEntries(Object.entries(all).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))));
  };
  const few = Object.keys(properties).length <= FEW;
  return (
    <FoldedFields
      names={[...Object.keys(properties), ...seldom.parameters.map(({ name }) => name)]}
      isShown={(name) => name in properties && (few || required.includes(name) || value[name] !== undefined)}
    >
      {(name) => {
        const parameter = seldom.parameters.find((each) => each.name === name);
        if (parameter) {
          return <ParameterField key={name} parameter={parameter} values={seldom.values} onChange={seldom.onChange} />;
        }
        return (
          <SchemaField
            key={name}
            name={name}
            schema={properties[name] ?? {}}
            required={required.includes(name)}
            value={value[name]}
            onChange={(next) => set(name, next)}
          />
        );
      }}
    </FoldedFields>
  );
}

interface FoldedFieldsProps {
  names: readonly string[];
  isShown(name: string): boolean;
  children(name: string): ReactNode;
}

/** The fields that a first call needs; the others at a click. What was shown once stays. */
function FoldedFields({ names, isShown, children }: FoldedFieldsProps) {
  const [all, setAll] = useState(false);
  const [first] = useState(() => new Set(names.filter(isShown)));
  const folded = names.filter((name) => !first.has(name));
  return (
    <Stack gap="sm">
      {names.filter((name) => all || first.has(name)).map(children)}
      {folded.length > 0 && (
        <Button
          variant="subtle"
          size="compact-sm"
          w="fit-content"
          aria-expanded={all}
          leftSection={<Icon name={all ? 'chevron-down' : 'chevron-right'} size={14} />}
          onClick={() => setAll(!all)}
        >
          {all ? text.playground.fewerFields : text.playground.moreFields(folded.length)}
        </Button>
      )}
    </Stack>
  );
}

interface SchemaFieldProps {
  name: string;
  schema: Schema;
  required: boolean;
  value: unknown;
  /** Undefined leaves the field out. */
  onChange(value: unknown): void;
  /** In an address everything is a text. */
  asText?: boolean;
}

function SchemaField({ name, schema, required, value, onChange, asText = false }: SchemaFieldProps) {
  const common = {
    label: name,
    description: plain(schema.description),
    required,
    withAsterisk: required,
  };
  const example = schema.examples?.[0] ?? schema.default;
  const placeholder = example === undefined || typeof example === 'object' ? undefined : String(example);
  if (schema.enum || schema.type === 'boolean') {
    const options = (schema.enum ?? [true, false]).filter((each) => each !== null);
    return (
      <Select
        {...common}
        data={options.map(String)}
        value={value === undefined || value === '' ? null : String(value)}
        onChange={(chosen) => onChange(options.find((option) => String(option) === chosen))}
        placeholder={placeholder ?? text.playground.leftOut}
        clearable={!required}
        clearButtonProps={{ 'aria-label': text.playground.clear(name) }}
      />
    );
  }
  if (schema.type === 'integer' || schema.type === 'number') {
    return (
      <NumberInput
        {...common}
        value={value as number | undefined}
        onChange={(next) => onChange(next === '' ? undefined : next)}
        placeholder={placeholder}
        allowDecimal={schema.type === 'number'}
        hideControls
      />
    );
  }
  const isText = asText || typeof value === 'string' || (value === undefined && takesText(schema));
  if (!isText) return <JsonField {...common} value={value} onChange={onChange} />;
  const Field = name === 'message' || name === 'text' || name === 'body' ? Textarea : TextInput;
  return (
    <Field
      {...common}
      value={String(value ?? '')}
      onChange={(event) => onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

function JsonField({
  value,
  onChange,
  ...common
}: {
  label: string;
  description: string | undefined;
  required: boolean;
  value: unknown;
  onChange(value: unknown): void;
}) {
  const [written, setWritten] = useState(value === undefined ? '' : JSON.stringify(value, null, 2));
  return (
    <JsonInput
      {...common}
      value={written}
      onChange={(next) => {
        setWritten(next);
        if (next.trim() === '') return onChange(undefined);
        try {
          return onChange(JSON.parse(next));
        } catch {
          // Half-written: the field says so, and the last whole value stays.
          return undefined;
        }
      }}
      validationError={text.playground.notJson}
      placeholder={text.playground.jsonPlaceholder}
      autosize
      minRows={1}
      maxRows={12}
    />
  );
}

function takesText({ type, anyOf }: Schema): boolean {
  return type === 'string' || (anyOf?.some(takesText) ?? (type === undefined && anyOf === undefined));
}

/** Descriptions are Markdown; here its quotes alone would show. */
function plain(description: string | undefined): string | undefined {
  return description?.replaceAll('`', '');
}
