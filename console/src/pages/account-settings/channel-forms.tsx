import { NativeSelect, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AccountChannel, createChannel, setChannelCarrier } from '../../api/account/account-channels.js';
import { carriersQuery, carrierTypesQuery, type DescribedSetting } from '../../api/installation/carriers.js';
import { SettingFields } from '../../shared/carriers/setting-fields.js';
import { diffSettings, type SettingTexts, toTexts, toValues } from '../../shared/carriers/setting-texts.js';
import { text } from '../../text/en.js';
import { FormDialog } from '../../ui/dialogs/form-dialog.js';
import { notify } from '../../ui/feedback/notices.js';
import { TextField } from '../../ui/forms/text-field.js';

const words = text.accountSettings;
type Kind = AccountChannel['kind'];

function useCarriersFor(kind: Kind): { names: string[]; getSettings(carrier: string): readonly DescribedSetting[] } {
  const { data: carriers = [] } = useQuery(carriersQuery);
  const { data: types = [] } = useQuery(carrierTypesQuery);
  const findType = (name: string) =>
    types.find(({ type }) => type === carriers.find((carrier) => carrier.name === name)?.type);
  return {
    names: carriers
      .filter(({ name, isBuiltIn }) => isBuiltIn || findType(name)?.kinds.includes(kind))
      // The simulator comes first, because it needs no settings.
      .sort((a, b) => Number(b.isBuiltIn) - Number(a.isBuiltIn))
      .map(({ name }) => name),
    // SMS channels only receive messages, so they have no settings.
    getSettings: (carrier) => (kind === 'whatsapp' ? (findType(carrier)?.channelSettings ?? []) : []),
  };
}

export function NewChannelDialog({ accountId, onClose }: { accountId: string; onClose(): void }) {
  const [kind, setKind] = useState<Kind>('whatsapp');
  const [name, setName] = useState('');
  const [phoneNumber, setPhoneNumber] = useState('');
  const [chosenCarrier, setChosen] = useState('');
  const [values, setValues] = useState<SettingTexts>({});
  const [isDefault, setIsDefault] = useState(false);
  const { names, getSettings } = useCarriersFor(kind);
  const carrier = names.includes(chosenCarrier) ? chosenCarrier : (names[0] ?? '');
  const settings = getSettings(carrier);
  const submit = async () => {
    const carrierSettings = toValues(settings, values);
    await createChannel(accountId, {
      kind,
      name,
      phoneNumber: phoneNumber.replace(/^\+/, '').replaceAll(' ', ''),
      carrier,
      ...(settings.length > 0 && { carrierSettings }),
      isDefault,
    });
    notify(words.channelAdded(name.trim()));
  };
  return (
    <FormDialog
      onClose={onClose}
      title={words.addChannel}
      fields={['name', 'phoneNumber', 'carrier', ...settings.map((setting) => setting.name)]}
      onSubmit={submit}
    >
      {(problem, field) => (
        <>
          <NativeSelect
            label={words.channelKind}
            data={[
              { value: 'whatsapp', label: words.kinds.whatsapp },
              { value: 'sms', label: words.kinds.sms },
            ]}
            value={kind}
            onChange={(event) => setKind(event.currentTarget.value as Kind)}
          />
          <TextField label={words.channelName} required {...field('name', name, setName)} data-autofocus />
          <TextField
            label={words.channelPhone}
            description={words.channelPhoneHint}
            required
            inputMode="tel"
            {...field('phoneNumber', phoneNumber, setPhoneNumber)}
          />
          <NativeSelect
            label={words.channelCarrier}
            data={names}
            value={carrier}
            error={problem('carrier')}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
          <SettingFields key={carrier} settings={settings} values={values} onChange={setValues} problem={problem} />
          <Switch
            label={words.channelDefault}
            checked={isDefault}
            onChange={(event) => setIsDefault(event.currentTarget.checked)}
          />
        </>
      )}
    </FormDialog>
  );
}

interface ChannelCarrierDialogProps {
  accountId: string;
  channel: AccountChannel;
  onClose(): void;
}

export function ChannelCarrierDialog({ accountId, channel: current, onClose }: ChannelCarrierDialogProps) {
  // The dialog keeps the channel as it was on opening, so that saving does not revert another operator's concurrent changes.
  const [channel] = useState(current);
  const { names, getSettings } = useCarriersFor(channel.kind);
  const [carrier, setCarrier] = useState(channel.carrier);
  const [editedValues, setEdited] = useState<SettingTexts | null>(null);
  const settings = getSettings(carrier);
  const hasNewCarrier = carrier !== channel.carrier;
  const initial = hasNewCarrier ? {} : toTexts(settings, channel.carrierSettings ?? {});
  const values = editedValues ?? initial;
  const submit = async () => {
    await setChannelCarrier(accountId, channel.id, {
      ...(hasNewCarrier && { carrier }),
      ...diffSettings(settings, initial, values),
    });
    notify(words.channelCarrierSaved);
  };
  return (
    <FormDialog
      onClose={onClose}
      title={words.channelCarrierTitle(channel.name)}
      submit={text.common.save}
      fields={['carrier', ...settings.map(({ name }) => name)]}
      onSubmit={submit}
    >
      {(problem) => (
        <>
          <NativeSelect
            label={words.channelCarrier}
            data={names.includes(carrier) ? names : [carrier, ...names]}
            value={carrier}
            error={problem('carrier')}
            onChange={(event) => {
              setCarrier(event.currentTarget.value);
              setEdited(null);
            }}
          />
          <SettingFields key={carrier} settings={settings} values={values} onChange={setEdited} problem={problem} />
        </>
      )}
    </FormDialog>
  );
}
