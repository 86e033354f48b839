#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write a file as a C array: embed.py INPUT OUTPUT"""
import sys

data = open(sys.argv[1], 'rb').read()
with open(sys.argv[2], 'w') as out:
    out.write('/* Made by embed.py. */\n#include "linux/vdso.h"\n\n')
    out.write('const unsigned char vdso_image[] = {\n')
    for i in range(0, len(data), 16):
        out.write('\t' + ', '.join('0x%02x' % b for b in data[i:i + 16]) + ',\n')
    out.write('};\n\nconst u64 vdso_image_size = sizeof(vdso_image);\n')
