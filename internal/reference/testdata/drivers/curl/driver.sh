# Runs the samples one after the other. The character U+001E ends what each prints.
for sample in [0-9]*.sh; do
	sh "$sample"
	printf '\036'
done
