import { Alert, Button, Code, Collapse, Group } from '@mantine/core';
import { useState } from 'react';
import { type Carrier, type CarrierType, changeCarrier, removeCarrier } from '../../api/installation/carriers.js';
import { useCan } from '../../session/session.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.js';
import { SwitchButton } from '../../ui/dialogs/switch-button.js';
import { notify } from '../../ui/feedback/notices.js';
import { Section } from '../../ui/layout/section.js';
import { FactLines, Facts } from '../../ui/tables/facts.js';
import { NumberText } from '../../ui/values/numbers.js';
import { StatusBadge } from '../../ui/values/status-badge.js';
import { ChangeCarrierDialog } from './carrier-form.js';
import { CarrierProcesses } from './carrier-processes.js';
import { toCarrierBadge } from './carrier-state.js';
import { CheckDialog } from './check-dialog.js';
import { TryDialog } from './try-dialog.js';

const words = text.carriers;

export function CarrierSection({ carrier, type }: { carrier: Carrier; type: CarrierType | undefined }) {
  const { name, isBuiltIn, processes, settings } = carrier;
  const canChange = useCan('owner', 'installation') && !isBuiltIn;
  const lead = isBuiltIn ? words.builtInHint : (words.types[carrier.type] ?? carrier.type);
  return (
    <Section title={name} lead={lead} actions={canChange && type && <Actions carrier={carrier} type={type} />}>
      {carrier.unsupported.map(({ field, rule }) => (
        <Alert key={field} color="yellow" variant="light" mb="md">
          {words.unsupported(field, rule)}
        </Alert>
      ))}
      <Facts facts={carrierFacts(carrier)} />
      {type?.logsCalls && (
        <>
          <TextLink to="/installation/carriers/$name/calls" params={{ name }}>
            {words.callsOf(name)}
          </TextLink>
          <TextLink to="/installation/carriers/$name/reports" params={{ name }}>
            {words.unmatchedTitle(name)}
          </TextLink>
        </>
      )}
      {carrier.entries.length > 0 && (
        <FactLines facts={carrier.entries.map(({ what, value }) => [what, <Code key={what}>{value}</Code>])} />
      )}
      {processes.length > 0 && <CarrierProcesses name={name} processes={processes} />}
      {Object.keys(settings).length > 0 && <Settings settings={settings} />}
    </Section>
  );
}

function carrierFacts({ isBuiltIn, processes, waiting, ...carrier }: Carrier) {
  const connections = processes.flatMap((process) => process.connections);
  const upCount = connections.filter(({ isUp }) => isUp).length;
  const rate = processes.reduce((sum, { ratePerSecond }) => sum + ratePerSecond, 0);
  const inHand = processes.reduce((sum, process) => sum + process.inHand, 0);
  const state = toCarrierBadge({ isBuiltIn, processes, waiting, ...carrier });
  const commonFacts = [
    [words.state, <StatusBadge key="state" {...state} />],
    [words.waiting, <NumberText key="waiting" value={waiting} />],
  ] as const;
  if (isBuiltIn) return commonFacts;
  return [
    ...commonFacts,
    [words.rate, <NumberText key="rate" value={rate} />],
    [words.beingSent, <NumberText key="hand" value={inHand} />],
    [words.connections, connections.length === 0 ? words.noConnections : `${upCount} / ${connections.length}`],
  ] as const;
}

function Settings({ settings }: { settings: Carrier['settings'] }) {
  const [opened, setOpened] = useState(false);
  return (
    <div>
      <Button variant="default" size="xs" mb="sm" aria-expanded={opened} onClick={() => setOpened(!opened)}>
        {opened ? words.hideSettings : words.showSettings}
      </Button>
      <Collapse expanded={opened}>
        <Facts
          facts={Object.entries(settings).map(([setting, value]) => [
            setting,
            <Code key={setting}>{typeof value === 'string' ? value : JSON.stringify(value)}</Code>,
          ])}
        />
      </Collapse>
    </div>
  );
}

function Actions({ carrier, type }: { carrier: Carrier; type: CarrierType }) {
  const { name, isActive } = carrier;
  const [open, setOpen] = useState<'check' | 'change' | 'try' | null>(null);
  const close = () => setOpen(null);
  const switchCarrier = async (isOn: boolean) => {
    await changeCarrier(carrier, { isActive: isOn });
    notify(isOn ? words.switchedOn(name) : words.switchedOff(name));
  };
  return (
    <Group gap="xs">
      <Button variant="default" size="xs" onClick={() => setOpen('check')}>
        {words.check}
      </Button>
      {type.logsCalls && type.kinds.includes('sms') && (
        <Button variant="default" size="xs" onClick={() => setOpen('try')}>
          {words.try}
        </Button>
      )}
      <Button variant="default" size="xs" onClick={() => setOpen('change')}>
        {words.change}
      </Button>
      <SwitchButton isOn={isActive} name={name} words={words} onSwitch={switchCarrier} />
      <ConfirmButton
        size="xs"
        title={words.removeTitle(name)}
        consequence={words.removeConsequence}
        confirm={words.removeConfirm}
        typed={name}
        onConfirm={async () => {
          await removeCarrier(name);
          notify(words.removed(name));
        }}
      >
        {words.remove}
      </ConfirmButton>
      {open === 'check' && <CheckDialog name={name} onClose={close} />}
      {open === 'try' && <TryDialog name={name} onClose={close} />}
      {open === 'change' && <ChangeCarrierDialog carrier={carrier} type={type} onClose={close} />}
    </Group>
  );
}
