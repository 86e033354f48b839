use strict;
use warnings;
use List::Util qw(sum max first shuffle reduce);
use Data::Dumper;
use POSIX qw(floor fmod strftime);
use Time::Local;

sub collatz { my ($n, $steps) = (shift, 0); while ($n != 1) { $n = $n % 2 ? 3 * $n + 1 : $n / 2; $steps++ } $steps }
my @steps = map { [$_, collatz($_)] } 1 .. 2000;
my $best = reduce { $a->[1] >= $b->[1] ? $a : $b } @steps;
print "longest: @$best\n";

$Data::Dumper::Sortkeys = 1;
my %data = (list => [1 .. 5], nested => { a => undef, b => \"ref" }, code => join(',', map { sprintf '%03b', $_ } 0 .. 7));
print Dumper(\%data);

my $text = "The year 1970 and the year 2038, at 03:14:07";
while ($text =~ /(?<n>\d+)(?=[ ,:]|$)/g) { print "$+{n} at ", pos($text), "\n" }
print join('|', sort { length $a <=> length $b or $a cmp $b } split /\W+/, $text), "\n";
print pack('A3 n N v V q> d>', 'abcdef', 258, 16909060, 258, 16909060, -2, 1.5) =~ s/(.)/sprintf '%02x', ord $1/gers, "\n";
print strftime('%Y-%m-%d %H:%M:%S', gmtime(1e9)), ' ', timegm(7, 14, 3, 19, 0, 2038), "\n";
local $@;
eval { die { code => 42 } };
print "caught $@->{code}\n";
package Shape { sub new { my ($c, %a) = @_; bless {%a}, $c } sub area { 0 } }
package Circle { our @ISA = 'Shape'; sub area { 3.14159265358979 * $_[0]{r} ** 2 } }
printf "%.12g\n", Circle->new(r => 2.5)->area;
print floor(-2.5), ' ', fmod(10, 3.3), ' ', sum(map { 1 / $_ } 1 .. 1000), "\n";
my $s = 'x' x 100_000; my $count = () = $s =~ /x{7}/g; print "$count\n";
exit 5;
