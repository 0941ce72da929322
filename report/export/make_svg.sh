#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Writes report/export/svg_script.c: the script of a picture as an array of bytes.
#
#	make_svg.sh TOP     TOP: source tree
set -eu

. "$1/report/util/embed.sh"

echo '/* Made by report/export/make_svg.sh. */'
echo '#include "config.h"'
echo
echo '#include "report/export/svg_script.h"'
echo
strip "$1/report/export/svg.js" | array svg_script
