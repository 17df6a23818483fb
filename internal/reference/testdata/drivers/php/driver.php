<?php

// Runs the samples one after the other. The character U+001E ends what each prints.
foreach (glob('[0-9]*.php') as $sample) {
    (static fn () => require $sample)();
    echo "\x1e";
}
