import { Button, JsonInput, NumberInput, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';
import type { Parameter, Schema } from './operations.js';

/** If the request body has at most this many fields, the form shows all of them immediately. */
const MAX_FIELDS_SHOWN = 5;

interface ParameterFieldsProps {
  parameters: readonly Parameter[];
  values: Record<string, string>;
  onChange(values: Record<string, string>): void;
}

export function ParameterFields({ parameters, values, onChange }: ParameterFieldsProps) {
  return (
    <FoldedFields
      names={parameters.map(({ name }) => name)}
      isShown={(name) => parameters.some((parameter) => parameter.name === name && !isAdvanced(parameter))}
    >
      {(name) => {
        const parameter = parameters.find((candidate) => candidate.name === name) as Parameter;
        return <ParameterField key={name} parameter={parameter} values={values} onChange={onChange} />;
      }}
    </FoldedFields>
  );
}

/** Optional headers are collapsed at first, but query parameters stay visible, because they are the filters of lists. */
export function isAdvanced({ required, in: location }: Parameter): boolean {
  return !required && location !== 'query';
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
  advanced: ParameterFieldsProps;
  value: Record<string, unknown>;
  onChange(value: Record<string, unknown>): void;
}

/** Lists and objects are edited as JSON. */
export function BodyFields({ schema, advanced, value, onChange }: BodyFieldsProps) {
  const { properties = {}, required = [] } = schema;
  const setField = (name: string, next: unknown) => {
    const { [name]: _last, ...rest } = value;
    // Fields keep the schema's order, so that a field that was cleared and filled in again does not move to the end.
    const updated: Record<string, unknown> = next === undefined ? rest : { ...rest, [name]: next };
    const order = Object.keys(properties);
    onChange(Object.fromEntries(Object.entries(updated).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))));
  };
  const showsAll = Object.keys(properties).length <= MAX_FIELDS_SHOWN;
  return (
    <FoldedFields
      names={[...Object.keys(properties), ...advanced.parameters.map(({ name }) => name)]}
      isShown={(name) => name in properties && (showsAll || required.includes(name) || value[name] !== undefined)}
    >
      {(name) => {
        const parameter = advanced.parameters.find((candidate) => candidate.name === name);
        if (parameter) {
          return (
            <ParameterField key={name} parameter={parameter} values={advanced.values} onChange={advanced.onChange} />
          );
        }
        return (
          <SchemaField
            key={name}
            name={name}
            schema={properties[name] ?? {}}
            required={required.includes(name)}
            value={value[name]}
            onChange={(next) => setField(name, next)}
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

/** Fields that are shown initially stay visible when they are cleared. */
function FoldedFields({ names, isShown, children }: FoldedFieldsProps) {
  const [isExpanded, setIsExpanded] = useState(false);
  const [initialNames] = useState(() => new Set(names.filter(isShown)));
  const foldedNames = names.filter((name) => !initialNames.has(name));
  return (
    <Stack gap="sm">
      {names.filter((name) => isExpanded || initialNames.has(name)).map(children)}
      {foldedNames.length > 0 && (
        <Button
          variant="subtle"
          size="compact-sm"
          w="fit-content"
          aria-expanded={isExpanded}
          leftSection={<Icon name={isExpanded ? 'chevron-down' : 'chevron-right'} size={14} />}
          onClick={() => setIsExpanded(!isExpanded)}
        >
          {isExpanded ? text.playground.fewerFields : text.playground.moreFields(foldedNames.length)}
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
  /** Undefined omits the field. */
  onChange(value: unknown): void;
  /** True for parameters, whose values are always strings. */
  asText?: boolean;
}

function SchemaField({ name, schema, required, value, onChange, asText = false }: SchemaFieldProps) {
  const common = {
    label: name,
    description: removeBackticks(schema.description),
    required,
    withAsterisk: required,
  };
  const example = schema.examples?.[0] ?? schema.default;
  const placeholder = example === undefined || typeof example === 'object' ? undefined : String(example);
  if (schema.enum || schema.type === 'boolean') {
    const options = (schema.enum ?? [true, false]).filter((option) => option !== null);
    return (
      <Select
        {...common}
        data={options.map(String)}
        value={value === undefined || value === '' ? null : String(value)}
        onChange={(chosenValue) => onChange(options.find((option) => String(option) === chosenValue))}
        placeholder={placeholder ?? text.playground.notSet}
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
  const isText = asText || typeof value === 'string' || (value === undefined && acceptsText(schema));
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
  const [jsonText, setWritten] = useState(value === undefined ? '' : JSON.stringify(value, null, 2));
  return (
    <JsonInput
      {...common}
      value={jsonText}
      onChange={(next) => {
        setWritten(next);
        if (next.trim() === '') return onChange(undefined);
        try {
          return onChange(JSON.parse(next));
        } catch {
          // While the typed JSON is incomplete, the field shows an error and the last valid value is kept.
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

function acceptsText({ type, anyOf }: Schema): boolean {
  return type === 'string' || (anyOf?.some(acceptsText) ?? (type === undefined && anyOf === undefined));
}

function removeBackticks(description: string | undefined): string | undefined {
  return description?.replaceAll('`', '');
}
