# An SMSC based on Net::SMPP (Debian: libnet-smpp-perl). Writes each submit_sm to standard output, as a line of
# fields with hexadecimal values. Returns hexadecimal message IDs, but sends receipts with decimal IDs and with
# seconds in their dates. Listens on a free port and prints it. Usage: net-smpp-smsc.pl
use strict;
use warnings;
use Net::SMPP;

$| = 1;
my $listener = Net::SMPP->new_listen('127.0.0.1', port => 0, smpp_version => 0x34, async => 1)
    or die "cannot listen: $!";
printf "listening %d\n", $listener->sockport;
my $last_id = 0x0abc00;

while (my $session = $listener->accept) {
    while (my $pdu = $session->read_pdu) {
        my ($cmd, $seq) = ($pdu->{cmd}, $pdu->{seq});
        if ($cmd == Net::SMPP::CMD_bind_transceiver) {
            my $right = $pdu->{system_id} eq 'heliograph' && $pdu->{password} eq 'secret';
            printf "bind interface_version=%02x system_id=%s\n", $pdu->{interface_version}, $pdu->{system_id};
            $session->bind_transceiver_resp(seq => $seq, status => $right ? 0 : 0x0e, system_id => 'perl');
        } elsif ($cmd == Net::SMPP::CMD_submit_sm) {
            my $id = ++$last_id;
            print_submit($pdu);
            $session->submit_sm_resp(seq => $seq, message_id => sprintf('%08X', $id));
            my $text = sprintf 'id:%010d sub:001 dlvrd:001 submit date:270115120000 done date:270115120001 '
                . 'stat:DELIVRD err:000 text:', $id;
            $session->deliver_sm(
                source_addr => $pdu->{destination_addr},
                destination_addr => $pdu->{source_addr},
                esm_class => 0x04,
                short_message => $text,
            );
        } elsif ($cmd == Net::SMPP::CMD_enquire_link) {
            $session->enquire_link_resp(seq => $seq);
        } elsif ($cmd == Net::SMPP::CMD_unbind) {
            $session->unbind_resp(seq => $seq);
            last;
        } elsif ($cmd == 0x80000005) {
            print "deliver_sm_resp status=$pdu->{status}\n";
        }
    }
    close $session;
}

sub print_submit {
    my ($pdu) = @_;
    my @numbers = map { "$_=$pdu->{$_}" } qw(source_addr_ton source_addr_npi dest_addr_ton dest_addr_npi esm_class
        registered_delivery data_coding);
    my @texts = map { "$_=$pdu->{$_}" } qw(source_addr destination_addr validity_period);
    my @tlvs = map { defined $pdu->{$_} ? "$_=" . unpack('H*', $pdu->{$_}) : () }
        qw(sar_msg_ref_num sar_total_segments sar_segment_seqnum message_payload);
    print join(' ', 'submit', @numbers, @texts, @tlvs, 'short_message=' . unpack('H*', $pdu->{short_message})), "\n";
}
