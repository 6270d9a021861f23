import { ActionIcon, Menu } from '@mantine/core';
import { CONTACT_FIELD_NAMES } from '../../../../src/features/contacts/contact-fields.js';
import { text } from '../../text/en.js';
import { Icon } from '../../ui/basics/icons.js';

const PLACEHOLDERS = [
  '{{contact.name|there}}',
  '{{contact.phone}}',
  ...CONTACT_FIELD_NAMES.filter((name) => name !== 'name').map((name) => `{{contact.${name}}}`),
];

interface PlaceholderMenuProps {
  /** Label of the field into which placeholders are inserted. */
  label: string;
  more?: readonly string[];
  onChoose(placeholder: string): void;
}

export function PlaceholderMenu({ label, more = [], onChoose }: PlaceholderMenuProps) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size="lg" variant="default" aria-label={text.campaigns.insertInto(label)}>
          <Icon name="plus" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {[...PLACEHOLDERS, ...more].map((placeholder) => (
          <Menu.Item key={placeholder} onClick={() => onChoose(placeholder)}>
            {placeholder}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
