import { Alert, Button, Collapse, NativeSelect, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { DescribedSetting } from '../../api/installation/carriers.js';
import { text } from '../../text/en.js';
import type { SettingTexts } from './setting-texts.js';

const words = text.carriers;

interface SettingFieldsProps {
  settings: readonly DescribedSetting[];
  values: SettingTexts;
  onChange(values: SettingTexts): void;
  problem(field: string): string | undefined;
  /** The secrets that are set already and stay unless something is typed. */
  kept?: ReadonlySet<string>;
  /** The settings that say where secrets go and have another value now: what is kept must be given again. */
  moved?: readonly string[];
}

/** A field for each setting of a type of carriers: those that must be set, and who we are there, first, the others on demand. */
export function SettingFields(props: SettingFieldsProps) {
  const { settings, values, problem } = props;
  const [all, setAll] = useState(false);
  const isFirst = ({ name, required, secret }: DescribedSetting) =>
    required || name === 'port' || name === 'tls' || (secret && !name.startsWith('tls')) || (values[name] ?? '') !== '';
  // Fixed at the beginning, so that no field leaves its place while it is filled in.
  const [firstNames] = useState(() => new Set(settings.filter(isFirst).map(({ name }) => name)));
  const first = settings.filter(({ name }) => firstNames.has(name));
  const others = settings.filter(({ name }) => !firstNames.has(name));
  const opened = all || others.some(({ name }) => problem(name) !== undefined);
  return (
    <>
      {props.moved && props.moved.length > 0 && props.kept && props.kept.size > 0 && (
        <Alert color="yellow" role="status">
          {words.secretsAgain(props.moved.join(', '))}
        </Alert>
      )}
      {first.map((setting) => (
        <SettingField key={setting.name} {...props} setting={setting} />
      ))}
      {others.length > 0 && (
        <>
          <Button variant="default" size="xs" onClick={() => setAll(!opened)} aria-expanded={opened}>
            {opened ? words.fewer : words.more}
          </Button>
          <Collapse expanded={opened}>
            <Stack>
              {others.map((setting) => (
                <SettingField key={setting.name} {...props} setting={setting} />
              ))}
            </Stack>
          </Collapse>
        </>
      )}
    </>
  );
}

function SettingField({
  setting,
  values,
  onChange,
  problem,
  kept,
  moved = [],
}: Omit<SettingFieldsProps, 'settings'> & { setting: DescribedSetting }) {
  const { name, kind, choices, required, default: byDefault, secret } = setting;
  const hints = [
    setting.description,
    byDefault !== null && words.defaultIs(plain(byDefault)),
    secret && words.secretHint,
  ];
  const common = {
    label: name,
    description: hints.filter(Boolean).join(' '),
    error: problem(name),
    required: (required && !kept?.has(name)) || (moved.length > 0 && kept?.has(name) === true),
    value: values[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ ...values, [name]: event.currentTarget.value }),
  };
  if (choices || kind === 'boolean') {
    const byDefaultOption = { value: '', label: byDefault === null ? '' : plain(byDefault) };
    return <NativeSelect {...common} data={[byDefaultOption, ...(choices ?? ['true', 'false'])]} />;
  }
  const input = {
    ...common,
    spellCheck: false,
    ...(kept?.has(name) && { placeholder: moved.length > 0 ? words.secretAgain : words.hidden }),
  };
  if (secret) return <PasswordInput {...input} autoComplete="new-password" />;
  const inputMode = kind === 'number' ? 'decimal' : kind === 'integer' ? 'numeric' : 'text';
  return <TextInput {...input} autoComplete="off" inputMode={inputMode} />;
}

/** A default as it is typed: a text without its quotes. */
function plain(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' ? value || words.unset : json;
}
