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
  /** Names of stored secrets, which are kept if their fields are left empty. */
  storedSecrets?: ReadonlySet<string>;
  /** Changed settings that determine where secrets are sent; if there are any, the operator must enter the secrets again. */
  changedDestinations?: readonly string[];
}

/** Required settings and credentials come first, and other settings are collapsed. */
export function SettingFields(props: SettingFieldsProps) {
  const { settings, values, problem, storedSecrets, changedDestinations = [] } = props;
  const [isExpanded, setIsExpanded] = useState(false);
  const isShownFirst = ({ name, required, secret }: DescribedSetting) =>
    required || name === 'port' || name === 'tls' || (secret && !name.startsWith('tls')) || (values[name] ?? '') !== '';
  // The order is decided only once, so that no field moves while it is filled in.
  const [firstNames] = useState(() => new Set(settings.filter(isShownFirst).map(({ name }) => name)));
  const firstSettings = settings.filter(({ name }) => firstNames.has(name));
  const optional = settings.filter(({ name }) => !firstNames.has(name));
  const isOpen = isExpanded || optional.some(({ name }) => problem(name) !== undefined);
  return (
    <>
      {changedDestinations.length > 0 && storedSecrets && storedSecrets.size > 0 && (
        <Alert color="yellow" role="status">
          {words.secretsAgain(changedDestinations.join(', '))}
        </Alert>
      )}
      {firstSettings.map((setting) => (
        <SettingField key={setting.name} {...props} setting={setting} />
      ))}
      {optional.length > 0 && (
        <>
          <Button variant="default" size="xs" onClick={() => setIsExpanded(!isOpen)} aria-expanded={isOpen}>
            {isOpen ? words.fewer : words.more}
          </Button>
          <Collapse expanded={isOpen}>
            <Stack>
              {optional.map((setting) => (
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
  storedSecrets,
  changedDestinations = [],
}: Omit<SettingFieldsProps, 'settings'> & { setting: DescribedSetting }) {
  const { name, kind, choices, required, default: byDefault, secret } = setting;
  const isStored = storedSecrets?.has(name) === true;
  const hints = [
    setting.description,
    byDefault !== null && words.defaultIs(unquote(byDefault)),
    secret && words.secretHint,
  ];
  const common = {
    label: name,
    description: hints.filter(Boolean).join(' '),
    error: problem(name),
    required: isStored ? changedDestinations.length > 0 : required,
    value: values[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ ...values, [name]: event.currentTarget.value }),
  };
  if (choices || kind === 'boolean') {
    const byDefaultOption = { value: '', label: byDefault === null ? '' : unquote(byDefault) };
    return <NativeSelect {...common} data={[byDefaultOption, ...(choices ?? ['true', 'false'])]} />;
  }
  const input = {
    ...common,
    spellCheck: false,
    ...(isStored && { placeholder: changedDestinations.length > 0 ? words.secretAgain : words.hidden }),
  };
  if (secret) return <PasswordInput {...input} autoComplete="new-password" />;
  const inputMode = kind === 'number' ? 'decimal' : kind === 'integer' ? 'numeric' : 'text';
  return <TextInput {...input} autoComplete="off" inputMode={inputMode} />;
}

/** Shows a default value as the user would type it: strings without quotes. */
function unquote(json: string): string {
  const value: unknown = JSON.parse(json);
  return typeof value === 'string' ? value || words.unset : json;
}
