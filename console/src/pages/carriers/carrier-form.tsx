import { NativeSelect, Switch } from '@mantine/core';
import { useState } from 'react';
import { type Carrier, type CarrierType, changeCarrier, createCarrier } from '../../api/installation/carriers.js';
import { SettingFields } from '../../shared/carriers/setting-fields.js';
import { diffSettings, HIDDEN, type SettingTexts, toTexts, toValues } from '../../shared/carriers/setting-texts.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';
import { TextField } from '../../ui/forms/text-field.js';

const words = text.carriers;

interface NewCarrierDialogProps {
  types: readonly CarrierType[];
  onClose(): void;
}

export function NewCarrierDialog({ types, onClose }: NewCarrierDialogProps) {
  const [typeName, setTypeName] = useState(types[0]?.type ?? '');
  const [presetName, setPresetName] = useState('');
  const [name, setName] = useState('');
  const [values, setValues] = useState<SettingTexts>({});
  const [isActive, setIsActive] = useState(true);
  const type = types.find((candidate) => candidate.type === typeName);
  const preset = type?.presets.find((candidate) => candidate.name === presetName);
  const settings = formSettings(type, presetName);
  const submit = async () => {
    const carrierSettings = { ...toValues(settings, values), ...(preset && { preset: preset.name }) };
    await createCarrier({ name: name.trim(), type: typeName, settings: carrierSettings, isActive });
    notify(words.created(name.trim()));
  };
  return (
    <FormDialog
      onClose={onClose}
      title={words.addTitle}
      submit={words.add}
      fields={['name', 'type', ...settings.map((setting) => setting.name)]}
      onSubmit={submit}
      size="lg"
    >
      {(problem, field) => (
        <>
          <NativeSelect
            label={words.type}
            data={types.map(({ type }) => ({ value: type, label: words.types[type] ?? type }))}
            value={typeName}
            onChange={(event) => {
              setTypeName(event.currentTarget.value);
              setPresetName('');
              setValues({});
            }}
          />
          {type && type.presets.length > 0 && (
            <NativeSelect
              label={words.preset}
              description={preset?.help ?? words.presetHint}
              data={[
                { value: '', label: words.noPreset },
                ...type.presets.map((option) => ({ value: option.name, label: option.title })),
              ]}
              value={presetName}
              onChange={(event) => {
                setPresetName(event.currentTarget.value);
                setValues({});
              }}
            />
          )}
          <TextField
            label={words.name}
            description={words.nameHint}
            required
            {...field('name', name, setName)}
            autoCapitalize="none"
            spellCheck={false}
            data-autofocus
          />
          <SettingFields
            key={`${typeName} ${presetName}`}
            settings={settings}
            values={values}
            onChange={setValues}
            problem={problem}
          />
          <Switch
            label={words.start}
            description={words.startHint}
            checked={isActive}
            onChange={(event) => setIsActive(event.currentTarget.checked)}
          />
        </>
      )}
    </FormDialog>
  );
}

interface ChangeCarrierDialogProps {
  carrier: Carrier;
  type: CarrierType;
  onClose(): void;
}

/** Emptying a field resets the setting to its default, but an empty secret keeps its value. */
export function ChangeCarrierDialog({ carrier, type, onClose }: ChangeCarrierDialogProps) {
  const settings = formSettings(type, String(carrier.settings.preset ?? ''));
  // The dialog keeps the values with which it was opened, because the page refetches the carriers regularly.
  const [version] = useState(carrier.version);
  const [initial] = useState(() => toTexts(settings, carrier.settings));
  const [values, setValues] = useState<SettingTexts>(initial);
  const storedSecrets = new Set(Object.keys(carrier.settings).filter((name) => carrier.settings[name] === HIDDEN));
  const changedDestinations = settings
    .filter(({ name, destination }) => destination && (values[name] ?? '') !== (initial[name] ?? ''))
    .map(({ name }) => name);
  const submit = async () => {
    await changeCarrier({ name: carrier.name, version }, diffSettings(settings, initial, values));
    notify(words.changed(carrier.name));
  };
  return (
    <FormDialog
      onClose={onClose}
      title={words.changeTitle(carrier.name)}
      submit={text.common.save}
      fields={settings.map(({ name }) => name)}
      onSubmit={submit}
      size="lg"
    >
      {(problem) => (
        <SettingFields
          settings={settings}
          values={values}
          onChange={setValues}
          problem={problem}
          storedSecrets={storedSecrets}
          changedDestinations={changedDestinations}
        />
      )}
    </FormDialog>
  );
}

/** Returns all settings except `preset`, which has its own form field. */
function formSettings(type: CarrierType | undefined, presetName: string): CarrierType['settings'] {
  const form = type?.presets.find(({ name }) => name === presetName) ?? type;
  return form?.settings.filter(({ name }) => name !== 'preset') ?? [];
}
