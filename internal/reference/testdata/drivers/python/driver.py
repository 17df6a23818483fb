# Runs the samples one after the other. The character U+001E ends what each prints.
import glob
import runpy

for sample in sorted(glob.glob("[0-9]*.py")):
    runpy.run_path(sample)
    print(end="\x1e", flush=True)
